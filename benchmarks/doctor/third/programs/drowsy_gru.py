"""Spot the frequency of a noisy wave (three classes) with a GRU."""
import argparse
import math

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=2e-4)
parser.add_argument("--steps", type=int, default=300)
parser.add_argument("--units", type=int, default=32)
opt = parser.parse_args()
torch.manual_seed(55)


def waves(n):
    kind = torch.randint(0, 3, (n,))
    f = torch.tensor([1.0, 2.0, 3.5])[kind]
    t = torch.linspace(0, 1, 30)
    s = torch.sin(2 * math.pi * (f[:, None] * t + torch.rand(n, 1)))
    return (s + 0.3 * torch.randn(n, 30)).unsqueeze(-1), kind


class Listener(nn.Module):
    def __init__(self, units):
        super().__init__()
        self.gru = nn.GRU(1, units, batch_first=True)
        self.out = nn.Linear(units, 3)

    def forward(self, s):
        _, h = self.gru(s)
        return self.out(h[-1])


model = Listener(opt.units)
sgd = torch.optim.SGD(model.parameters(), lr=opt.rate, momentum=0.9)
sv, kv = waves(300)
for step in range(1, opt.steps + 1):
    s, k = waves(64)
    loss = nn.functional.cross_entropy(model(s), k)
    sgd.zero_grad()
    loss.backward()
    sgd.step()
    if step % 50 == 0:
        with torch.no_grad():
            acc = (model(sv).argmax(1) == kv).float().mean()
        print(f"{step} loss {loss.item():.3f} val acc {acc:.3f}")
