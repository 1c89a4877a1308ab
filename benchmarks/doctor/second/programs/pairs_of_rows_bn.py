import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X, y = load_breast_cancer(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0)).float()
y = torch.tensor(y).float()
perm = torch.randperm(len(X))
train = TensorDataset(X[perm[:400]], y[perm[:400]])
valid = TensorDataset(X[perm[400:]], y[perm[400:]])
loader = DataLoader(train, batch_size=2, shuffle=True)
net = nn.Sequential(
    nn.Linear(30, 32), nn.BatchNorm1d(32), nn.ReLU(),
    nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU(),
    nn.Linear(32, 1),
)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(4):
    net.train()
    tot = 0
    for xb, yb in loader:
        opt.zero_grad()
        loss = bce(net(xb).squeeze(1), yb)
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        xv, yv = valid.tensors
        out = net(xv).squeeze(1)
        print(epoch, tot / len(loader), bce(out, yv).item(), ((out > 0).float() == yv).float().mean().item())
