"""Fine-tune with the batch norm of a pre-trained body kept in eval mode, as detection models do."""
import torch
from sklearn.datasets import load_digits
from torch import nn


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12)
        self.conv2, self.bn2 = nn.Conv2d(12, 24, 3, padding=1, stride=2), nn.BatchNorm2d(24)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(x))).flatten(1)


class Tuned(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.head = nn.Sequential(nn.Linear(384, 32), nn.ReLU(), nn.Linear(32, 10))
        for p in body.parameters():
            p.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        self.body.eval()
        return self

    def forward(self, x):
        return self.head(self.body(x))


torch.manual_seed(203)
raw = load_digits()
x = torch.tensor(raw.images[:, None] / 16 - 0.3, dtype=torch.float32)
y = torch.tensor(raw.target)
p = torch.randperm(len(y))
x, y = x[p], y[p]
body = Body()
source = nn.Sequential(body, nn.Linear(384, 2))
opt = torch.optim.Adam(source.parameters(), lr=2e-3)
parity = y % 2
for epoch in range(8):
    source.train()
    for rows in torch.randperm(1400).split(40):
        loss = nn.functional.cross_entropy(source(x[rows]), parity[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
    source.eval()
    with torch.no_grad():
        print("parity", epoch, round(loss.item(), 3), (source(x[1400:]).argmax(1) == parity[1400:]).float().mean().item())

model = Tuned(body)
opt = torch.optim.Adam(model.head.parameters(), lr=2e-3)
for epoch in range(12):
    model.train()
    for rows in torch.randperm(1400).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        out = model(x[1400:])
    print(f"digits {epoch}: {loss.item():.3f} val {nn.functional.cross_entropy(out, y[1400:]).item():.3f} acc {(out.argmax(1) == y[1400:]).float().mean():.3f}")
