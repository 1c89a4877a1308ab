"""Digit classes through a bottleneck of a single number."""
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(163)


class Bottleneck(nn.Module):
    def __init__(self, code):
        super().__init__()
        self.squeeze = nn.Sequential(nn.Linear(64, code), nn.Tanh())
        self.expand = nn.Linear(code, 10)

    def forward(self, x):
        return self.expand(self.squeeze(x))


raw = load_digits()
x = torch.tensor((raw.data - 4.9) / 6, dtype=torch.float32)
y = torch.tensor(raw.target)
p = torch.randperm(len(y))
train = DataLoader(TensorDataset(x[p[:1400]], y[p[:1400]]), batch_size=56, shuffle=True)
net = Bottleneck(code=1)
optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
for epoch in range(20):
    total = 0.0
    for xb, yb in train:
        loss = nn.functional.cross_entropy(net(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / len(train)
    if epoch % 3 == 1:
        with torch.no_grad():
            out = net(x[p[1400:]])
        print(f"{epoch + 1}: train {total:.3f} held-out {nn.functional.cross_entropy(out, y[p[1400:]]).item():.3f} accuracy {(out.argmax(1) == y[p[1400:]]).float().mean():.3f}")
