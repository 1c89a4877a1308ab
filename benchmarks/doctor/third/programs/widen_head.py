"""Digits 0-4 first, then all ten: the head grows when new classes arrive."""
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(15)
raw = load_digits()
x = torch.tensor(raw.data / 16, dtype=torch.float32)
y = torch.tensor(raw.target)
mix = torch.randperm(len(x))
x, y = x[mix], y[mix]
x_train, y_train, x_test, y_test = x[:1400], y[:1400], x[1400:], y[1400:]


class GrowingNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(64, 48), nn.ReLU())
        self.head = nn.Linear(48, classes)

    def grow(self, classes):
        self.features = nn.Sequential(nn.Linear(64, 48), nn.ReLU())
        self.head = nn.Linear(48, classes)

    def forward(self, x):
        return self.head(self.features(x))


def train(model, optimizer, x, y, epochs):
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(x)).split(50):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
    print(f"  after {epochs} epochs: loss {total / len(x):.3f}")


def accuracy(model, x, y):
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


model = GrowingNet(5)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
model.grow(10)
print("ten classes")
train(model, optimizer, x_train, y_train, 20)
print("test accuracy", round(accuracy(model, x_test, y_test), 3))
