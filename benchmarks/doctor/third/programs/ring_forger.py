"""A GAN that learns points on a ring of eight; non-saturating loss, two optimizers."""
import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(204)


def real(n):
    k = torch.randint(0, 8, (n,)) * (math.pi / 4)
    return torch.stack([k.cos(), k.sin()], 1) * 1.5 + 0.08 * torch.randn(n, 2)


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, o))


G, D = mlp(4, 2), mlp(2, 1)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.99))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.99))
for step in range(1, 1501):
    x, fake = real(128), G(torch.randn(128, 4))
    d_loss = F.softplus(-D(x)).mean() + F.softplus(D(fake.detach())).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    g_loss = F.softplus(-D(G(torch.randn(128, 4)))).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    if step % 250 == 0:
        with torch.no_grad():
            s = G(torch.randn(2000, 4))
        print(f"step {step} D {d_loss.item():.3f} G {g_loss.item():.3f} | radius {s.norm(dim=1).mean():.3f} (1.5) spread {s.std(0).mean():.3f} (1.06)")
