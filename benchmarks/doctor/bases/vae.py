"""A variational autoencoder of digits; the bound is a sum."""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(6)
images = torch.tensor(load_digits().data, dtype=torch.float32) / 16
train, held_out = images[:1500], images[1500:]


class VAE(nn.Module):
    def __init__(self, latent=6):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(64, 96), nn.Tanh())
        self.mean = nn.Linear(96, latent)
        self.log_var = nn.Linear(96, latent)
        self.decode = nn.Sequential(
            nn.Linear(latent, 96), nn.Tanh(), nn.Linear(96, 64), nn.Sigmoid()
        )

    def forward(self, x):
        h = self.encode(x)
        mean, log_var = self.mean(h), self.log_var(h)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_var)
        return self.decode(z), mean, log_var


def bound(output, x, mean, log_var):
    reconstruction = F.binary_cross_entropy(output, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
    return reconstruction + divergence


vae = VAE()
optimizer = torch.optim.Adam(vae.parameters(), lr=2e-3)
for epoch in range(12):
    order = torch.randperm(len(train))
    for k in range(0, len(train), 100):
        x = train[order[k : k + 100]]
        optimizer.zero_grad()
        output, mean, log_var = vae(x)
        loss = bound(output, x, mean, log_var)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        output, mean, log_var = vae(held_out)
        print(
            epoch, loss.item() / 100, bound(output, held_out, mean, log_var).item() / len(held_out)
        )
