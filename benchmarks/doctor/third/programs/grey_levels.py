# Train pictures are divided by 16; what about the others?
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(149)
D = load_digits()
pictures = torch.from_numpy(D.images).float()[:, None]
labels = torch.from_numpy(D.target)
perm = torch.randperm(len(labels))
tr, va = perm[:1400], perm[1400:]


def augment(batch):
    shift = torch.randint(-1, 2, (1,)).item()
    return torch.roll(batch, shift, dims=3) / 16.0


def plain(batch):
    return batch


class SmallConv(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(1, 12, 3, padding=1), nn.Conv2d(12, 24, 3, padding=1, stride=2)
        self.fc = nn.Linear(24 * 16, 10)

    def forward(self, x):
        return self.fc(self.c2(self.c1(x).relu()).relu().flatten(1))


net = SmallConv()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(10):
    net.train()
    for rows in tr[torch.randperm(1400)].split(56):
        loss = nn.functional.cross_entropy(net(augment(pictures[rows])), labels[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        out = net(plain(pictures[va]))
    print(epoch, f"train {loss.item():.3f} val {nn.functional.cross_entropy(out, labels[va]).item():.3f} acc {(out.argmax(1) == labels[va]).float().mean().item():.3f}")
