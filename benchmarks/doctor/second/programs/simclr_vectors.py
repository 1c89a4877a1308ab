import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(0)
X = torch.tensor(load_digits().images / 16).float()


def augment(x):
    dx, dy = torch.randint(-1, 2, (2,)).tolist()
    x = torch.roll(x, (dx, dy), (1, 2))
    return (x + 0.15 * torch.randn_like(x)) * (torch.rand(len(x), 1, 1) * 0.4 + 0.8)


def nt_xent(z1, z2, tau=0.3):
    n = len(z1)
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    sim = z @ z.T / tau
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), -1e9)
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, target)


encoder = nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
projector = nn.Linear(64, 24)
opt = torch.optim.Adam([*encoder.parameters(), *projector.parameters()], lr=2e-3, weight_decay=1e-6)
for step in range(300):
    b = X[torch.randint(0, len(X), (96,))]
    loss = nt_xent(projector(encoder(augment(b))), projector(encoder(augment(b))))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 60 == 0:
        print(step, loss.item())
