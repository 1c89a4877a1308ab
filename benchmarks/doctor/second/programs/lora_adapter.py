import math

import torch
import torch.nn as nn

torch.manual_seed(0)


class LoRALinear(nn.Module):
    def __init__(self, base, r=4, alpha=8):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scale = alpha / r

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.A.T @ self.B.T)


def task(shift):
    x = torch.randn(1500, 8)
    return x, torch.tanh(x @ W + shift) @ V


W, V = torch.randn(8, 12), torch.randn(12, 1) / 3
xa, ya = task(0.0)
xb, yb = task(0.5)
net = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))


def train(params, x, y, lr, steps):
    opt = torch.optim.Adam(params, lr=lr)
    for s in range(steps):
        i = torch.randint(0, 1200, (64,))
        loss = nn.functional.mse_loss(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        return loss.item(), nn.functional.mse_loss(net(x[1200:]), y[1200:]).item()


print("base", train(net.parameters(), xa, ya, 3e-3, 400))
for i in (0, 2, 4):
    net[i] = LoRALinear(net[i])
print("adapter", train([p for p in net.parameters() if p.requires_grad], xb, yb, 5e-3, 300))
