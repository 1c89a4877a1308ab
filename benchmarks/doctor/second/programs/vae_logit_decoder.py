import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
data = torch.tensor(load_digits().data / 16.0, dtype=torch.float32)


class VAE(nn.Module):
    def __init__(self, z_dim=8, h_dim=80):
        super().__init__()
        self.enc = nn.Linear(64, h_dim)
        self.mu, self.logvar = nn.Linear(h_dim, z_dim), nn.Linear(h_dim, z_dim)
        self.dec1, self.dec2 = nn.Linear(z_dim, h_dim), nn.Linear(h_dim, 64)

    def forward(self, x):
        h = F.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (logvar / 2).exp()
        return self.dec2(F.relu(self.dec1(z))), mu, logvar


vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=2e-3)
for epoch in range(8):
    for b in torch.randperm(1700).split(68):
        x = data[b]
        recon, mu, logvar = vae(x)
        rec = F.binary_cross_entropy(recon, x, reduction="none").sum(1).mean()
        kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()
        loss = rec + kl
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, rec.item(), kl.item())
