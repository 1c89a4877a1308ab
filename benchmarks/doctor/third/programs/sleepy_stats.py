# Tabular classification with normalised layers; the momentum is 'as high as in the optimizer'.
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from torch import nn

torch.manual_seed(125)
x, y = load_breast_cancer(return_X_y=True)
x = (x - x.mean(0)) / x.std(0)
xt, xv, yt, yv = (torch.tensor(a, dtype=torch.float32) for a in train_test_split(x, y, test_size=0.25, random_state=125, stratify=y))


def block(i, o):
    return nn.Sequential(nn.Linear(i, o), nn.BatchNorm1d(o, momentum=1e-4), nn.ReLU())


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(block(30, 24), block(24, 24), block(24, 24), block(24, 24))
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(self.blocks(x)).squeeze(1)


model = Table()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.02)
loss_fn = nn.BCEWithLogitsLoss()
for epoch in range(10):
    model.train()
    total = 0.0
    for rows in torch.randperm(len(xt)).split(32):
        if len(rows) < 8:
            continue
        optimizer.zero_grad()
        loss = loss_fn(model(xt[rows]), yt[rows])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows) / len(xt)
    model.eval()
    with torch.no_grad():
        z = model(xv)
    print(f"{epoch}: train {total:.3f} val {loss_fn(z, yv).item():.3f} acc {((z > 0).float() == yv).float().mean():.3f}")
