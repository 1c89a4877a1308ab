"""A table of numbers: regression on raw tensors, SGD with momentum, a rate that falls by epochs."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(1)
n = 1200
X = torch.randn(n, 10)
y = (X[:, :1] * X[:, 1:2] + torch.sin(2 * X[:, 2:3]) + 0.5 * X[:, 3:4]) + 0.1 * torch.randn(n, 1)
X_train, y_train, X_val, y_val = X[:1000], y[:1000], X[1000:], y[1000:]

net = nn.Sequential(
    nn.Linear(10, 64),
    nn.ReLU(),
    nn.Linear(64, 64),
    nn.ReLU(),
    nn.Linear(64, 1),
)
opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=10, gamma=0.5)

for epoch in range(20):
    perm = torch.randperm(len(X_train))
    for i in range(0, len(X_train), 50):
        idx = perm[i : i + 50]
        pred = net(X_train[idx])
        loss = F.mse_loss(pred, y_train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    with torch.no_grad():
        val_loss = F.mse_loss(net(X_val), y_val)
    if epoch % 5 == 4:
        print(epoch, loss.item(), val_loss.item())
