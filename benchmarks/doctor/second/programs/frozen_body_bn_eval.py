# transfer: body pre-trained on even digits, frozen with its batch norm, new head for the odd ones
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
d = load_digits()
X = torch.tensor(d.images / 16).float().unsqueeze(1)
y = torch.tensor(d.target)
even = y % 2 == 0


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Flatten(),
        )
        self.head = nn.Linear(512, 5)
        self.frozen = False

    def train(self, mode=True):
        super().train(mode)
        if self.frozen:
            self.body.eval()
        return self

    def forward(self, x):
        return self.head(self.body(x))


def fit(net, x, t, steps, lr):
    opt = torch.optim.Adam((p for p in net.parameters() if p.requires_grad), lr=lr)
    net.train()
    for s in range(steps):
        b = torch.randint(0, len(x) - 100, (40,))
        loss = nn.functional.cross_entropy(net(x[b]), t[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        out = net(x[-100:])
    return loss.item(), nn.functional.cross_entropy(out, t[-100:]).item()


net = Net()
print("source", fit(net, X[even], y[even] // 2, 150, 2e-3))
net.frozen = True
for p in net.body.parameters():
    p.requires_grad_(False)
net.head = nn.Linear(512, 5)
print("target", fit(net, X[~even], y[~even] // 2, 250, 3e-3))
