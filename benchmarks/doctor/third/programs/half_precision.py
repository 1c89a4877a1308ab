"""bfloat16 autocast on the CPU with a residual convolutional net."""
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(216)


class ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a, self.b = nn.Conv2d(c, c, 3, padding=1), nn.Conv2d(c, c, 3, padding=1)
        self.na, self.nb = nn.BatchNorm2d(c), nn.BatchNorm2d(c)

    def forward(self, x):
        h = torch.relu(self.na(self.a(x)))
        return torch.relu(x + self.nb(self.b(h)))


raw = load_digits()
x = torch.tensor(raw.images[:, None] / 16 - 0.3, dtype=torch.float32)
y = torch.tensor(raw.target)
p = torch.randperm(len(y))
net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), ResBlock(12), nn.MaxPool2d(2), ResBlock(12), nn.Flatten(), nn.Linear(192, 10))
optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
for epoch in range(5):
    net.train()
    for rows in p[:1400][torch.randperm(1400)].split(50):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x[rows])
            loss = nn.functional.cross_entropy(out, y[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(x[p[1400:]])
        val = nn.functional.cross_entropy(out, y[p[1400:]])
    print(f"epoch {epoch}: {loss.item():.3f} validation {val.item():.3f} accuracy {(out.argmax(1) == y[p[1400:]]).float().mean():.3f}")
