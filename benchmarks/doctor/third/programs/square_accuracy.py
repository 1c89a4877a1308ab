import argparse

import torch
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from torch import nn

parser = argparse.ArgumentParser(description="tumours: a logistic network")
parser.add_argument("--units", type=int, default=10)
parser.add_argument("--epochs", type=int, default=15)
cli = parser.parse_args()
torch.manual_seed(152)

x, y = load_breast_cancer(return_X_y=True)
rows = torch.randperm(len(x)).numpy()
x = torch.tensor(StandardScaler().fit_transform(x[rows]), dtype=torch.float32)
y = torch.tensor(y[rows], dtype=torch.float32)
x_train, y_train, x_val, y_val = x[:450], y[:450], x[450:], y[450:]

net = nn.Sequential(nn.Linear(30, cli.units), nn.ELU(), nn.Linear(cli.units, 1), nn.Sigmoid())
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3, weight_decay=1e-3)
bce = nn.BCELoss()
for epoch in range(1, cli.epochs + 1):
    net.train()
    for b in torch.randperm(450).split(25):
        optimizer.zero_grad()
        loss = bce(net(x_train[b]).squeeze(1), y_train[b])
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        p = net(x_val)
        val = bce(p.squeeze(1), y_val).item()
        acc = ((p > 0.5) == (y_val > 0.5)).float().mean().item()
    print(f"{epoch:2d} | {loss.item():.4f} | {val:.4f} | accuracy {acc:.4f}")
