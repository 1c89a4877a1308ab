import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X = torch.randn(700, 10)
w = torch.randn(10, 1) / 10 ** 0.5
y = X @ w + 1.0 * torch.randn(700, 1)
loader = DataLoader(TensorDataset(X[:600], y[:600]), batch_size=1, shuffle=True)
net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.025)
for epoch in range(3):
    total = 0
    for xb, yb in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(xb), yb)
        loss.backward()
        opt.step()
        total += loss.item()
    with torch.no_grad():
        print(epoch, total / len(loader), nn.functional.mse_loss(net(X[600:]), y[600:]).item(), "var", y.var().item())
