import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset


class FolderLike(Dataset):
    """Images come as from a directory tree: all of class 0, then all of class 1, ..."""

    def __init__(self, train=True):
        d = load_digits()
        rows = []
        for c in range(10):
            r = np.flatnonzero(d.target == c)
            rows.append(r[:140] if train else r[140:])
        rows = np.concatenate(rows)
        self.x = torch.tensor(d.images[rows] / 16.0, dtype=torch.float32).unsqueeze(1)
        self.y = torch.tensor(d.target[rows])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


torch.manual_seed(0)
trainloader = DataLoader(FolderLike(True), batch_size=20)
testloader = DataLoader(FolderLike(False), batch_size=100)
net = nn.Sequential(
    nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Conv2d(12, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(192, 10)
)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(5):
    net.train()
    for x, y in trainloader:
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        hits = sum((net(x).argmax(1) == y).sum().item() for x, y in testloader)
    print(epoch, loss.item(), hits / len(testloader.dataset))
