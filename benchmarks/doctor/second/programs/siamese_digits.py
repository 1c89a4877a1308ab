"""Siamese network: same digit or not."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X / 16).float(), torch.tensor(y)


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 16))
        self.compare = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward_once(self, x):
        return self.embed(x).detach()

    def forward(self, a, b):
        return self.compare((self.forward_once(a) - self.forward_once(b)).abs()).squeeze(-1)


def pairs(lo, hi, n):
    i = torch.randint(lo, hi, (n,))
    same = torch.rand(n) < 0.5
    j = torch.stack([
        lo + (torch.nonzero((y[lo:hi] == y[k]) == s).flatten())[torch.randint(0, 30, (1,))].squeeze() for k, s in zip(i, same)
    ])
    return X[i], X[j], same.float()


net = Siamese()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for step in range(250):
    a, b, t = pairs(0, 1400, 48)
    loss = F.binary_cross_entropy_with_logits(net(a, b), t)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        with torch.no_grad():
            va, vb, vt = pairs(1400, 1797, 200)
            print(step, loss.item(), ((net(va, vb) > 0) == vt.bool()).float().mean().item())
with torch.no_grad():
    va, vb, vt = pairs(1400, 1797, 400)
    print("final", ((net(va, vb) > 0) == vt.bool()).float().mean().item())
