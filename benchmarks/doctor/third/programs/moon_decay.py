"""Noisy two-class rings; the rate is lowered a little 'every now and then'."""
import torch
import torch.nn as nn
from sklearn.datasets import make_circles
from torch.optim.lr_scheduler import ExponentialLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(20)
X, y = make_circles(1500, factor=0.55, noise=0.12, random_state=20)
X, y = torch.tensor(X, dtype=torch.float32) / 0.6, torch.tensor(y)
train_dl = DataLoader(TensorDataset(X[:1200], y[:1200]), batch_size=30, shuffle=True)
X_val, y_val = X[1200:], y[1200:]

net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
scheduler = ExponentialLR(opt, gamma=0.85)
loss_fn = nn.CrossEntropyLoss()

for epoch in range(20):
    total = 0.0
    for xb, yb in train_dl:
        opt.zero_grad()
        loss = loss_fn(net(xb), yb)
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
        scheduler.step()
    with torch.no_grad():
        out = net(X_val)
        print(f"epoch {epoch:2d} loss {total / 1200:.3f} val {loss_fn(out, y_val).item():.3f} acc {(out.argmax(1) == y_val).float().mean():.3f}")
