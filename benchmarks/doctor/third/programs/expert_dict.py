"""Mixture of experts, one per region, kept in a dictionary; the gate is learnt too."""
import torch
from torch import nn

torch.manual_seed(111)


class Experts(nn.Module):
    def __init__(self, names, dim=5, hidden=24):
        super().__init__()
        self.names = names
        self.gate = nn.Linear(dim, len(names))
        self.experts = {name: nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, 1)) for name in names}

    def forward(self, x):
        share = self.gate(x).softmax(-1)
        opinions = torch.cat([self.experts[name](x) for name in self.names], 1)
        return (share * opinions).sum(1)


x = torch.randn(2000, 5)
north = x[:, 0] > 0
y = torch.where(north, torch.sin(2 * x[:, 1]) + x[:, 2], -x[:, 2] + 0.5 * x[:, 3]) + 0.05 * torch.randn(2000)
model = Experts(["north", "south", "coast"])
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(20):
    for rows in torch.randperm(1600).split(64):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    if epoch % 4 == 3:
        with torch.no_grad():
            val = nn.functional.mse_loss(model(x[1600:]), y[1600:]).item()
        print(f"epoch {epoch + 1}: train {loss.item():.4f}, validation {val:.4f}, variance {y.var().item():.3f}")
