"""Logistic regression of two wines with the binary loss."""
import torch
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from torch import nn


def load():
    x, y = load_wine(return_X_y=True)
    keep = y < 2
    x = StandardScaler().fit_transform(x[keep])
    gen = torch.Generator().manual_seed(173)
    order = torch.randperm(len(x), generator=gen)
    return torch.tensor(x, dtype=torch.float32)[order], torch.tensor(y[keep])[order]


class Logistic(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, 1)

    def forward(self, x):
        return self.linear(x).squeeze(-1)


torch.manual_seed(173)
x, y = load()
model = Logistic(13)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(20):
    for k in range(0, 100, 10):
        loss = criterion(model(x[k : k + 10]), y[k : k + 10])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = ((model(x[100:]) > 0) == (y[100:] == 1)).float().mean()
    print(epoch, loss.item(), right.item())
