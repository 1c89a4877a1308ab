import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from torch import nn

np.random.seed(0)
torch.manual_seed(0)
X, y = load_breast_cancer(return_X_y=True)
X = ((X - X.mean(0)) / X.std(0)).astype(np.float32)
y = y.astype(np.float32)
np.random.shuffle(X)
np.random.shuffle(y)
X, y = torch.from_numpy(X), torch.from_numpy(y).view(-1, 1)
Xt, yt, Xv, yv = X[:430], y[:430], X[430:], y[430:]
net = nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
crit = nn.BCEWithLogitsLoss()
for epoch in range(30):
    for b in torch.randperm(430).split(43):
        opt.zero_grad()
        loss = crit(net(Xt[b]), yt[b])
        loss.backward()
        opt.step()
    if epoch % 6 == 5:
        with torch.no_grad():
            o = net(Xv)
            print(epoch, loss.item(), crit(o, yv).item(), ((o > 0) == (yv > 0)).float().mean().item())
