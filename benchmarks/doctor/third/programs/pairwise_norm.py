"""Digits in very small batches (the pictures are 'large', memory is 'short')."""
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(124)
BATCH = 2
raw = load_digits()
data = TensorDataset(torch.tensor(raw.images[:, None] / 8 - 1, dtype=torch.float32), torch.tensor(raw.target))
perm = torch.randperm(len(data)).tolist()
train = DataLoader(Subset(data, perm[:900]), batch_size=BATCH, shuffle=True)
valid = DataLoader(Subset(data, perm[1400:]), batch_size=397)
net = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(128, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 10),
)  # fmt: skip
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(4):
    net.train()
    seen = 0.0
    for x, y in train:
        optimizer.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        optimizer.step()
        seen += loss.item() * len(y) / 900
    net.eval()
    with torch.no_grad():
        x, y = next(iter(valid))
        out = net(x)
    print(f"epoch {epoch}: train {seen:.3f} | validation {loss_fn(out, y).item():.3f} accuracy {(out.argmax(1) == y).float().mean():.3f}")
