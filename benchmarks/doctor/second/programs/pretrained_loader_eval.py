import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


def conv_bn(i, o, stride=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class MobileLike(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.body = nn.Sequential(conv_bn(1, 12), conv_bn(12, 24, 2), conv_bn(24, 24, 2))
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(24, classes)

    def forward(self, x):
        return self.fc(self.drop(self.body(x).mean([2, 3])))


def load_model():
    torch.manual_seed(0)
    model = MobileLike()
    return model.eval()


data = load_digits()
x = torch.tensor(data.images / 16.0, dtype=torch.float32)[:, None]
y = torch.tensor(data.target)
net = load_model()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(5):
    for b in torch.randperm(1500).split(50):
        opt.zero_grad()
        loss = F.cross_entropy(net(x[b]), y[b])
        loss.backward()
        opt.step()
    print(epoch, loss.item())
net.eval()
with torch.no_grad():
    print("accuracy", (net(x[1500:]).argmax(1) == y[1500:]).float().mean().item())
