"""Every pixel gets a class: a small network of convolutions on drawn squares and discs."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(11)


def draw(count, size=16):
    rows = torch.arange(size).float()
    images, masks = [], []
    for _ in range(count):
        cx, cy, r = torch.rand(3) * torch.tensor([8.0, 8.0, 2.0]) + torch.tensor([4.0, 4.0, 2.0])
        disc = (rows[:, None] - cx) ** 2 + (rows[None] - cy) ** 2 < r**2
        square = torch.zeros(size, size, dtype=torch.bool)
        a, b = torch.randint(0, 11, (2,)).tolist()
        square[a : a + 5, b : b + 5] = True
        mask = torch.where(disc, 1, torch.where(square, 2, 0))
        images.append(mask.float() * 0.5 + 0.25 * torch.randn(size, size))
        masks.append(mask)
    return torch.stack(images)[:, None], torch.stack(masks)


images, masks = draw(320)
train = DataLoader(TensorDataset(images[:256], masks[:256]), batch_size=16, shuffle=True)


class Segmenter(nn.Module):
    def __init__(self, width=12, classes=3):
        super().__init__()
        self.down = nn.Conv2d(1, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.middle = nn.Conv2d(width, width, 5, padding=2)
        self.out = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        h = F.relu(self.norm(self.down(x)))
        h = F.relu(self.middle(h))
        return self.out(h)


model = Segmenter()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    model.train()
    for batch, truth in train:
        scores = model(batch)
        loss = F.cross_entropy(scores, truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        scores = model(images[256:])
        held = F.cross_entropy(scores, masks[256:])
        share = (scores.argmax(1) == masks[256:]).float().mean()
    print(epoch, loss.item(), held.item(), share.item())
