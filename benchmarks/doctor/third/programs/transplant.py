"""Pre-train on digits 0-4; freeze the body; train a new head for 5-9."""
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(202)
d = load_digits()
x = torch.tensor(d.images[:, None] / 16 - 0.3, dtype=torch.float32)
y = torch.tensor(d.target)
shuffle = torch.randperm(len(y))
x, y = x[shuffle], y[shuffle]


def body():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
    )


def fit(net, x, y, parameters, epochs):
    cut = int(0.8 * len(x))
    optimizer = torch.optim.Adam(parameters, lr=2e-3)
    for epoch in range(epochs):
        for rows in torch.randperm(cut).split(32):
            loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            out = net(x[cut:])
            print(f"  {epoch}: {loss.item():.3f} held-out {nn.functional.cross_entropy(out, y[cut:]).item():.3f} {(out.argmax(1) == y[cut:]).float().mean():.3f}")


low = y < 5
features = body()
print("source")
first = nn.Sequential(features, nn.Linear(256, 5))
fit(first, x[low], y[low], first.parameters(), 4)
features.requires_grad_(False)
print("target, body frozen")
second = nn.Sequential(features, nn.Linear(256, 5))
fit(second, x[~low], y[~low] - 5, second[1].parameters(), 6)
