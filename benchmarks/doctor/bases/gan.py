"""Two players: a generator of points on a ring, and its judge."""

import torch
from torch import nn

torch.manual_seed(5)


def real_points(count):
    angle = 2 * torch.pi * torch.rand(count, 1)
    return torch.cat([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(count, 2)


generator = nn.Sequential(
    nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2)
)
judge = nn.Sequential(
    nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1)
)
bce = nn.BCEWithLogitsLoss()
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(judge.parameters(), lr=1e-3, betas=(0.5, 0.999))
ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
for step in range(300):
    fake = generator(torch.randn(64, 8))
    d_loss = bce(judge(real_points(64)), ones) + bce(judge(fake.detach()), zeros)
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = bce(judge(fake), ones)
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    if step % 100 == 99:
        with torch.no_grad():
            radius = generator(torch.randn(256, 8)).norm(dim=1).mean()
        print(step, d_loss.item(), g_loss.item(), radius.item())
