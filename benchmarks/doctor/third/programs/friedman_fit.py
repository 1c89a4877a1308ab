import numpy as np
import torch
from sklearn.datasets import make_friedman1
from torch.utils.data import DataLoader, Dataset, random_split


class FriedmanData(Dataset):
    def __init__(self, n=1500, seed=7):
        x, y = make_friedman1(n_samples=n, n_features=8, noise=0.5, random_state=seed)
        self.x = (2 * x - 1).astype(np.float32)
        self.y = ((y - y.mean()) / y.std()).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def mean_squared_error(prediction, target):
    return ((prediction - target) ** 2).mean()


torch.manual_seed(7)
train_set, val_set = random_split(FriedmanData(), [1200, 300])
train_loader = DataLoader(train_set, batch_size=50, shuffle=True)
val_loader = DataLoader(val_set, batch_size=300)

model = torch.nn.Sequential(
    torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)
)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(1, 16):
    model.train()
    losses = []
    for x, y in train_loader:
        prediction = model(x)
        loss = mean_squared_error(prediction, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        val = np.mean([mean_squared_error(model(x), y).item() for x, y in val_loader])
    print(f"Epoch {epoch:02d} | train {np.mean(losses):.4f} | val {val:.4f}")
