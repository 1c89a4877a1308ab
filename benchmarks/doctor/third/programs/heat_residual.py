"""A physics-informed net for u'' = -pi^2 sin(pi x), u(-1) = u(1) = 0; double backward inside the loss."""
import math

import torch
from torch import nn


class PINN(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x)


def residual(model, x):
    x = x.requires_grad_()
    u = model(x)
    (du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
    (d2u,) = torch.autograd.grad(du.sum(), x, create_graph=True)
    return d2u / math.pi**2 + torch.sin(math.pi * x)


torch.manual_seed(227)
model = PINN()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
edge = torch.tensor([[-1.0], [1.0]])
grid = torch.linspace(-1, 1, 101)[:, None]
truth = torch.sin(math.pi * grid)
for step in range(1, 1001):
    inside = torch.rand(64, 1) * 2 - 1
    loss = residual(model, inside).square().mean() + model(edge).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        with torch.no_grad():
            error = (model(grid) - truth).abs().max().item()
        print(f"step {step}: loss {loss.item():.5f} largest error {error:.4f}")
