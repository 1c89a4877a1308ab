"""Segment bright discs in noisy pictures; the loss is one minus the overlap of the masks."""
import torch
from torch import nn

torch.manual_seed(14)
SIZE = 24


def pictures(n):
    yy, xx = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
    cx, cy = torch.randint(6, 18, (2, n, 1, 1))
    r = torch.randint(3, 7, (n, 1, 1))
    mask = ((xx - cx) ** 2 + (yy - cy) ** 2 < r**2).float().unsqueeze(1)
    return mask + 0.7 * torch.randn(n, 1, SIZE, SIZE), mask


class Segmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 8, 5, padding=2)
        self.b = nn.Conv2d(8, 8, 5, padding=2)
        self.c = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        return self.c(torch.relu(self.b(torch.relu(self.a(x)))))


def overlap(logits, mask):
    predicted = (logits > 0).float()
    both = (predicted * mask).sum((1, 2, 3))
    return (2 * both + 1) / (predicted.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + 1)


train_x, train_m = pictures(256)
test_x, test_m = pictures(64)
model = Segmenter()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(8):
    for rows in torch.randperm(256).split(32):
        loss = 1 - overlap(model(train_x[rows]), train_m[rows]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(f"epoch {epoch}: loss {loss.item():.3f}, test overlap {overlap(model(test_x), test_m).mean():.3f}")
