"""Heteroscedastic regression: the net gives mean and log-sigma."""
import torch
import torch.nn as nn
from torch.distributions import Normal

torch.manual_seed(0)
x = torch.rand(1500, 1) * 6 - 3
y = torch.sin(x) + torch.randn_like(x) * (0.05 + 0.15 * x.abs())


class MeanSigma(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh())
        self.mu = nn.Linear(40, 1)
        self.log_sigma = nn.Linear(40, 1)

    def forward(self, inp):
        h = self.body(inp)
        return Normal(self.mu(h), self.log_sigma(h).clamp(-5, 3).exp())


model = MeanSigma()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for it in range(400):
    pick = torch.randperm(len(x))[:128]
    dist = model(x[pick])
    loss = dist.log_prob(y[pick]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 80 == 0:
        print(f"{it:4d}  {loss.item():.3f}  rmse {(dist.mean - y[pick]).pow(2).mean().sqrt().item():.3f}")
print("last", loss.item(), "rmse", (model(x).mean - y).pow(2).mean().sqrt().item())
