"""A residual MLP whose blocks are kept in a list."""
import torch
import torch.nn as nn
from sklearn.datasets import make_friedman2

torch.manual_seed(110)


class Residual(nn.Module):
    def __init__(self, dim=48, depth=4):
        super().__init__()
        self.stem = nn.Linear(4, dim)
        self.blocks = [nn.Linear(dim, dim) for _ in range(depth)]
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        h = self.stem(x)
        for block in self.blocks:
            h = h + torch.relu(block(h))
        return self.head(h).squeeze(-1)


X, y = make_friedman2(1500, noise=20.0, random_state=110)
X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=torch.float32)
y = torch.tensor((y - y.mean()) / y.std(), dtype=torch.float32)
net = Residual()
print("parameters:", sum(p.numel() for p in net.parameters()))
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for epoch in range(12):
    for rows in torch.randperm(1200).split(48):
        opt.zero_grad()
        loss = (net(X[rows]) - y[rows]).square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
    with torch.no_grad():
        print(epoch, f"train {loss.item():.4f} test {(net(X[1200:]) - y[1200:]).square().mean().item():.4f}")
