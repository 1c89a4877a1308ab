"""A variational autoencoder in the manner of the PyTorch examples: the loss is a sum over pixels and rows."""
import argparse

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn, optim
from torch.utils.data import DataLoader


class VAE(nn.Module):
    def __init__(self, latent):
        super().__init__()
        self.fc1 = nn.Linear(64, 100)
        self.fc21, self.fc22 = nn.Linear(100, latent), nn.Linear(100, latent)
        self.fc3, self.fc4 = nn.Linear(latent, 100), nn.Linear(100, 64)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc21(h), self.fc22(h)

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.decode(z), mu, logvar


def loss_function(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=15)
parser.add_argument("--latent", type=int, default=6)
args = parser.parse_args()
torch.manual_seed(207)
x = torch.tensor(load_digits().data / 16, dtype=torch.float32)[torch.randperm(1797)]
train, test = DataLoader(x[:1500], batch_size=60, shuffle=True), x[1500:]
model = VAE(args.latent)
optimizer = optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(args.epochs):
    model.train()
    total = 0.0
    for batch in train:
        optimizer.zero_grad()
        loss = loss_function(*((lambda r: (r[0], batch, r[1], r[2]))(model(batch))))
        loss.backward()
        total += loss.item()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        recon, mu, logvar = model(test)
        held = loss_function(recon, test, mu, logvar).item() / len(test)
    if epoch % 2 == 0:
        print(f"epoch {epoch}: train {total / 1500:.3f} test {held:.3f}")
