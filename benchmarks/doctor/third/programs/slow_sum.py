"""Gradient accumulation: eight micro-batches of eight before each update."""
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(208)
MICRO, ACCUMULATE = 8, 8
raw = load_digits()
x = torch.tensor(raw.images[:, None] / 16 - 0.3, dtype=torch.float32)
y = torch.tensor(raw.target)
p = torch.randperm(len(y))
train = DataLoader(TensorDataset(x[p[:1408]], y[p[:1408]]), batch_size=MICRO, shuffle=True)
x_val, y_val = x[p[1408:]], y[p[1408:]]
net = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1), nn.GroupNorm(3, 12), nn.SiLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(192, 48), nn.SiLU(), nn.Linear(48, 10)
)
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
for epoch in range(6):
    optimizer.zero_grad()
    shown = 0.0
    for i, (xb, yb) in enumerate(train, start=1):
        loss = nn.functional.cross_entropy(net(xb), yb) / ACCUMULATE
        loss.backward()
        shown += loss.item() * ACCUMULATE / len(train)
        if i % ACCUMULATE == 0:
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            optimizer.zero_grad()
    with torch.no_grad():
        out = net(x_val)
        print(f"epoch {epoch}: train {shown:.3f} val {nn.functional.cross_entropy(out, y_val).item():.3f} acc {(out.argmax(1) == y_val).float().mean():.3f}")
