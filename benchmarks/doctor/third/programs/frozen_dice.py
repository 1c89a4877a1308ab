"""Regression on a synthetic response surface with random mini-batches from a seeded sampler."""
import numpy as np
import torch
from torch import nn


class Surface:
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.x = rng.uniform(-1, 1, (n, 3)).astype(np.float32)
        z = np.sin(3 * self.x[:, 0]) + self.x[:, 1] * self.x[:, 2] + 0.5 * self.x[:, 1] ** 2
        self.y = (z + 0.05 * rng.standard_normal(n)).astype(np.float32)[:, None]

    def draw(self, size, seed=0):
        rows = np.random.default_rng(seed).choice(len(self.x), size, replace=False)
        return torch.from_numpy(self.x[rows]), torch.from_numpy(self.y[rows])


torch.manual_seed(143)
train, test = Surface(2000, 1), Surface(500, 2)
xt, yt = torch.from_numpy(test.x), torch.from_numpy(test.y)
net = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(800):
    x, y = train.draw(32)
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 99:
        with torch.no_grad():
            print(f"step {step + 1}: train {loss.item():.5f} test {nn.functional.mse_loss(net(xt), yt).item():.4f} (variance {yt.var().item():.3f})")
