# Learning-curve study: train on growing shares of the digits, keep the best.
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(180)
d = load_digits()
x, y = torch.tensor(d.data / 16, dtype=torch.float32), torch.tensor(d.target)
p = torch.randperm(len(y))
x, y = x[p], y[p]
results = []
for size in (300, 600, 1200):
    net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for epoch in range(12):
        for rows in torch.randperm(size).split(30):
            loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
    with torch.no_grad():
        accuracy = (net(x[1300:]).argmax(1) == y[1300:]).float().mean()
    results.append(accuracy)
    print(size, "examples: loss", round(loss.item(), 3), "accuracy", round(accuracy.item(), 3))
gains = [b - a for a, b in zip(results, results[1:])]
print("best gain", max(gains).item(), "at", (300, 600, 1200)[results.index(max(gains))])
