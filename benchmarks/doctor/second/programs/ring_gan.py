import torch
import torch.nn as nn

torch.manual_seed(0)


def real(n):
    a = torch.randint(0, 8, (n,)) * (2 * torch.pi / 8)
    return torch.stack([a.cos(), a.sin()], 1) + 0.05 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
D = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
optG = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
optD = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
for it in range(600):
    # discriminator
    D.zero_grad()
    fake = G(torch.randn(64, 8))
    lossD = bce(D(real(64)), ones) + bce(D(fake.detach()), zeros)
    lossD.backward()
    optD.step()
    # generator
    G.zero_grad()
    lossG = bce(D(fake), ones)
    lossG.backward()
    optG.step()
    if it % 100 == 0:
        print(it, "D", lossD.item(), "G", lossG.item())
with torch.no_grad():
    s = G(torch.randn(500, 8))
print("radius", s.norm(dim=1).mean().item(), s.norm(dim=1).std().item())
