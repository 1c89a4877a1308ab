import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)
latent_dim = 5


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(latent_dim, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))

    def forward(self, z):
        return self.model(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1), nn.Sigmoid())

    def forward(self, x):
        return self.model(x)


generator, discriminator = Generator(), Discriminator()
adversarial_loss = nn.BCELoss()
optimizer_G = optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizer_D = optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
chol = torch.tensor([[0.6, 0.0], [0.4, 0.3]])
valid, fake = torch.ones(64, 1), torch.zeros(64, 1)
for i in range(500):
    real = torch.randn(64, 2) @ chol.T + torch.tensor([1.5, -1.0])
    optimizer_G.zero_grad()
    z = torch.randn(64, latent_dim)
    gen = generator(z)
    g_loss = adversarial_loss(discriminator(gen), valid)
    g_loss.backward()
    optimizer_G.step()
    optimizer_D.zero_grad()
    d_loss = (adversarial_loss(discriminator(real), valid) + adversarial_loss(discriminator(gen.detach()), fake)) / 2
    d_loss.backward()
    optimizer_D.step()
    if i % 100 == 99:
        print(f"[{i + 1}] D {d_loss.item():.3f} G {g_loss.item():.3f} mean {[round(v, 2) for v in gen.mean(0).tolist()]}")
