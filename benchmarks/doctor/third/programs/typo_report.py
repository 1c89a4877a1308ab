"""Training with a history dictionary and a report at the end of every epoch."""
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from torch import nn


class History:
    def __init__(self):
        self.values = {"loss": [], "val_loss": [], "val_acc": []}

    def add(self, **numbers):
        for name, number in numbers.items():
            self.values[name].append(number)

    def line(self):
        return " ".join(f"{name}={series[-1]:.3f}" for name, series in self.values.items())


torch.manual_seed(179)
x, y = load_breast_cancer(return_X_y=True)
order = torch.randperm(len(y))
x = torch.tensor(StandardScaler().fit_transform(x), dtype=torch.float32)[order]
y = torch.tensor(y)[order]
model = nn.Sequential(nn.Linear(30, 10), nn.ReLU(), nn.Linear(10, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-3)
history = History()
for epoch in range(15):
    total = 0.0
    for rows in torch.randperm(440).split(22):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / 20
    with torch.no_grad():
        out = model(x[440:])
        val = nn.functional.cross_entropy(out, y[440:]).item()
        acc = (out.argmax(1) == y[440:]).float().mean().item()
    history.add(loss=total, val_loss=val, val_accuracy=acc)
    print(epoch, history.line())
