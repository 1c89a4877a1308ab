import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

CFG = dict(width=16, epochs=3, bs=32, lr=0.5, wd=0.0)
torch.manual_seed(0)
d = load_digits()
x = torch.tensor((d.images - 4.9) / 6.0, dtype=torch.float32)[:, None]
y = torch.tensor(d.target)
train = DataLoader(TensorDataset(x[:1440], y[:1440]), CFG["bs"], shuffle=True)


class Res(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a = nn.Conv2d(c, c, 3, padding=1)
        self.b = nn.Conv2d(c, c, 3, padding=1)

    def forward(self, x):
        return F.relu(x + self.b(F.relu(self.a(x))))


class Net(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.stem = nn.Conv2d(1, w, 3, padding=1)
        self.blocks = nn.Sequential(Res(w), nn.MaxPool2d(2), Res(w))
        self.fc = nn.Linear(w, 10)

    def forward(self, x):
        return self.fc(self.blocks(F.relu(self.stem(x))).mean((2, 3)))


net = Net(CFG["width"])
opt = torch.optim.Adam(net.parameters(), lr=CFG["lr"], weight_decay=CFG["wd"])
for epoch in range(CFG["epochs"]):
    net.train()
    for xb, yb in train:
        loss = F.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        out = net(x[1440:])
    print(epoch, loss.item(), F.cross_entropy(out, y[1440:]).item(), (out.argmax(1) == y[1440:]).float().mean().item())
