"""Sort sensor traces into three gestures; channels come first, the GRU wants time first."""
import math

import torch
from torch import nn

torch.manual_seed(120)


def traces(n, channels=3, length=20):
    kind = torch.randint(0, 3, (n,))
    t = torch.linspace(0, 1, length)
    speed = torch.tensor([1.0, 2.0, 3.0])[kind].view(n, 1, 1)
    phase = torch.rand(n, 1, 1) + torch.arange(channels).view(1, channels, 1) / 3
    return torch.sin(2 * math.pi * (speed * t + phase)) + 0.3 * torch.randn(n, channels, length), kind


class Gestures(nn.Module):
    def __init__(self, channels=3, units=32):
        super().__init__()
        self.gru = nn.GRU(channels, units)
        self.head = nn.Linear(units, 3)

    def forward(self, x):
        n, c, length = x.shape
        steps = x.reshape(length, n, c)
        _, h = self.gru(steps)
        return self.head(h[-1])


x, y = traces(1500)
xv, yv = traces(400)
model = Gestures()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
for epoch in range(10):
    total = 0.0
    for rows in torch.randperm(1500).split(50):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
        total += loss.item() / 30
    with torch.no_grad():
        out = model(xv)
    print(f"epoch {epoch}: {total:.3f} validation {nn.functional.cross_entropy(out, yv).item():.3f} accuracy {(out.argmax(1) == yv).float().mean().item():.3f}")
