"""A body that was trained before is frozen; a new head learns on top of it."""

import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(7)
X, y = load_digits(return_X_y=True)
X = torch.tensor(X, dtype=torch.float32) / 8 - 1
y = torch.tensor(y)
body = nn.Sequential(nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 48), nn.ReLU())
teacher = nn.Sequential(body, nn.Linear(48, 2))
first = torch.optim.Adam(teacher.parameters(), lr=1e-2)
for _ in range(40):
    first.zero_grad()
    nn.functional.cross_entropy(teacher(X[:800]), y[:800] % 2).backward()
    first.step()


class Tuned(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.head = nn.Linear(48, 10)
        for p in self.body.parameters():
            p.requires_grad = False

    def train(self, mode=True):
        super().train(mode)
        self.body.eval()
        return self

    def forward(self, x):
        return self.head(self.body(x))


model = Tuned(body)
optimizer = torch.optim.Adam(model.head.parameters(), lr=1e-2)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(10):
    model.train()
    for rows in (800 + torch.randperm(700)).split(50):
        loss = loss_fn(model(X[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        accuracy = (model(X[1500:]).argmax(1) == y[1500:]).float().mean().item()
    print(epoch, loss.item(), accuracy)
