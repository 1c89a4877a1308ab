"""Modular arithmetic: (a + b) mod 11 from two embeddings."""
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Plan:
    modulus: int = 11
    dim: int = 32
    epochs: int = 2
    batch: int = 64
    lr: float = 3e-3
    rows: int = 4000


class Clock(nn.Module):
    def __init__(self, plan):
        super().__init__()
        self.embed = nn.Embedding(plan.modulus, plan.dim)
        self.mlp = nn.Sequential(nn.Linear(2 * plan.dim, 96), nn.ReLU(), nn.Linear(96, plan.modulus))

    def forward(self, pair):
        return self.mlp(self.embed(pair).flatten(1))


plan = Plan()
torch.manual_seed(164)
pairs = torch.randint(0, plan.modulus, (plan.rows, 2))
noise = torch.rand(plan.rows) < 0.05
sums = torch.where(noise, torch.randint(0, plan.modulus, (plan.rows,)), pairs.sum(1) % plan.modulus)
cut = int(0.75 * plan.rows)
net = Clock(plan)
optimizer = torch.optim.Adam(net.parameters(), lr=plan.lr)
for epoch in range(plan.epochs):
    for i, rows in enumerate(torch.randperm(cut).split(plan.batch)):
        loss = nn.functional.cross_entropy(net(pairs[rows]), sums[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch < 2 and i % 12 == 0:
            print(f"   step {i}: {loss.item():.3f}")
    with torch.no_grad():
        out = net(pairs[cut:])
    print(f"epoch {epoch}: {loss.item():.3f} validation {nn.functional.cross_entropy(out, sums[cut:]).item():.3f} accuracy {(out.argmax(1) == sums[cut:]).float().mean().item():.3f}")
