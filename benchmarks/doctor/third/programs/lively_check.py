import torch
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from torch import nn


class DropoutRegressor:
    """A fit/score regressor: keeps the losses of both parts by epoch."""

    def __init__(self, width=64, p=0.3, lr=2e-3, epochs=30):
        self.model = nn.Sequential(
            nn.Linear(10, width), nn.ReLU(), nn.Dropout(p), nn.Linear(width, width), nn.ReLU(), nn.Dropout(p), nn.Linear(width, 1)
        )
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr, weight_decay=1e-3)
        self.epochs = epochs
        self.history = {"train": [], "val": []}

    def loss(self, x, y):
        return nn.functional.mse_loss(self.model(x).squeeze(1), y)

    def fit(self, x, y, xv, yv):
        for _ in range(self.epochs):
            self.model.train()
            total = 0.0
            for rows in torch.randperm(len(x)).split(32):
                self.optimizer.zero_grad()
                loss = self.loss(x[rows], y[rows])
                loss.backward()
                self.optimizer.step()
                total += loss.item() * len(rows) / len(x)
            self.history["train"].append(total)
            self.history["val"].append(self.evaluate(xv, yv))
        return self

    @torch.no_grad()
    def evaluate(self, x, y):
        return self.loss(x, y).item()


torch.manual_seed(108)
X, y = load_diabetes(return_X_y=True)
X = X / X.std(0)
y = (y - y.mean()) / y.std()
parts = [torch.tensor(a, dtype=torch.float32) for a in train_test_split(X, y, test_size=0.25, random_state=108)]
model = DropoutRegressor().fit(parts[0], parts[2], parts[1], parts[3])
for k in range(0, 30, 5):
    print(k, {name: round(v[k], 3) for name, v in model.history.items()})
print("twice the same rows:", model.evaluate(parts[1], parts[3]), model.evaluate(parts[1], parts[3]))
