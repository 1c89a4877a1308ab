"""Will the customer come back?  A network with a single logit."""
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from torch import nn

torch.manual_seed(151)
X, y = make_classification(2000, 12, n_informative=6, class_sep=1.2, random_state=151)
X = (X - X.mean(0)) / X.std(0)
Xa, Xb, ya, yb = (torch.tensor(v, dtype=torch.float32) for v in train_test_split(X, y, test_size=0.25, random_state=151))


class Returns(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, x):
        return self.layers(x)


def accuracy(model, x, y):
    with torch.no_grad():
        prediction = torch.argmax(model(x), dim=1)
    return (prediction == y).float().mean().item()


model = Returns()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
loss_function = nn.BCEWithLogitsLoss()
for epoch in range(10):
    for rows in torch.randperm(1500).split(50):
        optimizer.zero_grad()
        loss = loss_function(model(Xa[rows]), ya[rows].unsqueeze(1))
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        val = loss_function(model(Xb), yb.unsqueeze(1)).item()
    print(f"epoch {epoch} loss {loss.item():.3f} val {val:.3f} train accuracy {accuracy(model, Xa, ya):.3f} val accuracy {accuracy(model, Xb, yb):.3f}")
