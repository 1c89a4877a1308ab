"""A small vision transformer on the digits: linear warm-up, then cosine."""
import math

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

torch.manual_seed(200)
STEPS, WARM = 400, 120


class PatchNet(nn.Module):
    def __init__(self, dim=48, depth=2):
        super().__init__()
        self.patch = nn.Conv2d(1, dim, 2, stride=2)
        self.place = nn.Parameter(0.02 * torch.randn(17, dim))
        self.first = nn.Parameter(torch.zeros(1, 1, dim))
        layer = nn.TransformerEncoderLayer(dim, 4, 96, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(dim, 10)

    def forward(self, x):
        patches = self.patch(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.first.expand(len(x), -1, -1), patches], 1) + self.place
        return self.head(self.encoder(tokens)[:, 0])


raw = load_digits()
x = torch.tensor(raw.images[:, None] / 8 - 1, dtype=torch.float32)
y = torch.tensor(raw.target)
p = torch.randperm(len(y))
train, val = p[:1400], p[1400:]
net = PatchNet()
optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.05)
factor = lambda step: (step + 1) / WARM if step < WARM else 0.5 * (1 + math.cos(math.pi * (step - WARM) / (STEPS - WARM)))
schedule = LambdaLR(optimizer, factor)
for step in range(STEPS):
    net.train()
    rows = train[torch.randint(0, 1400, (40,))]
    loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 50 == 49:
        net.eval()
        with torch.no_grad():
            out = net(x[val])
        print(f"step {step + 1} lr {schedule.get_last_lr()[0]:.5f} loss {loss.item():.3f} val {nn.functional.cross_entropy(out, y[val]).item():.3f} acc {(out.argmax(1) == y[val]).float().mean():.3f}")
