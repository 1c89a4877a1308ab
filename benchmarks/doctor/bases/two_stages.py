"""Learns a rough task first, then a finer one with a new head, by another optimizer."""

import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(3)
digits = load_digits()
pictures = torch.tensor(digits.data, dtype=torch.float32) / 16
names = torch.tensor(digits.target)
order = torch.randperm(len(pictures))
pictures, names = pictures[order], names[order]
X, y = pictures[:1400], names[:1400]
X_new, y_new = pictures[1400:], names[1400:]
cross_entropy = nn.CrossEntropyLoss()


class Reader(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 80), nn.ReLU(), nn.Linear(80, 40), nn.ReLU())
        self.head = nn.Linear(40, classes)

    def forward(self, x):
        return self.head(self.body(x))


reader = Reader(2)
first = torch.optim.Adam(reader.parameters(), lr=2e-3)
for _ in range(80):
    rows = torch.randint(0, 1400, (50,))
    loss = cross_entropy(reader(X[rows]), y[rows] % 2)
    first.zero_grad()
    loss.backward()
    first.step()
print("odd or even:", loss.item())

for parameter in reader.body[0].parameters():
    parameter.requires_grad_(False)
reader.head = nn.Linear(40, 10)
learned = [p for p in reader.parameters() if p.requires_grad]
second = torch.optim.Adam(learned, lr=3e-3)
for epoch in range(6):
    for rows in torch.randperm(1400).split(50):
        scores = reader(X[rows])
        loss = cross_entropy(scores, y[rows])
        second.zero_grad()
        loss.backward()
        second.step()
    with torch.no_grad():
        held = cross_entropy(reader(X_new), y_new)
    print(epoch, loss.item(), held.item())
