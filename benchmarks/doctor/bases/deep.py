"""A deep residual table network with layer normalization, warm-up and cosine decay."""

import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(10)
X = torch.randn(1500, 16)
y = (X[:, 0] * X[:, 1] > 0).long() + 2 * (X[:, 2] + X[:, 3] > 0).long()
train, test = slice(0, 1200), slice(1200, 1500)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, h):
        return h + self.down(F.gelu(self.up(self.norm(h))))


class Deep(nn.Module):
    def __init__(self, width=32, depth=5):
        super().__init__()
        self.enter = nn.Linear(16, width)
        self.blocks = nn.ModuleList(Residual(width) for _ in range(depth))
        self.leave = nn.Linear(width, 4)

    def forward(self, x):
        h = self.enter(x)
        for block in self.blocks:
            h = block(h)
        return self.leave(h)


model = Deep()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)
steps = 240
schedule = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda k: min((k + 1) / 20, 0.5 * (1 + math.cos(math.pi * k / steps)))
)
for step in range(steps):
    rows = torch.randint(0, 1200, (64,))
    loss = F.cross_entropy(model(X[train][rows]), y[train][rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 60 == 59:
        with torch.inference_mode():
            scores = model(X[test])
            print(
                step,
                F.cross_entropy(scores, y[test]).item(),
                (scores.argmax(-1) == y[test]).float().mean().item(),
            )
