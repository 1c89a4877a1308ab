"""1,000 steps of a ResNet-20 on small colour images."""

import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(512, 3, 16, 16)
y = (X[:, 0].mean((1, 2)) > 0).long() + 2 * (X[:, 1, :8].mean((1, 2)) > 0).long()
X += 0.5 * y[:, None, None, None]


class Block(nn.Module):
    def __init__(self, before, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, width, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.short = nn.Conv2d(before, width, 1, stride) if before != width else nn.Identity()

    def forward(self, x):
        h = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(h)) + self.short(x))


widths = [16] * 3 + [32] * 3 + [64] * 3
blocks, before = [], 16
for width in widths:
    blocks.append(Block(before, width, 1 if width == before else 2))
    before = width
stem = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
model = nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for _ in range(1000):
    rows = torch.randint(0, len(X), (16,))
    loss = nn.functional.cross_entropy(model(X[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
