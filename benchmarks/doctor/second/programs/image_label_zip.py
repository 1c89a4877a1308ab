import random

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset


class DigitFiles(Dataset):
    def __init__(self, keys, images, labels):
        self.keys, self.images, self.labels = keys, images, labels
        random.shuffle(self.keys)

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, i):
        img = self.images[self.keys[i]]
        return torch.tensor(img, dtype=torch.float32).unsqueeze(0) / 16, self.labels[i]


random.seed(0)
torch.manual_seed(0)
d = load_digits()
train = DigitFiles(list(range(1400)), d.images, d.target)
valid = DigitFiles(list(range(1400, 1797)), d.images, d.target)
valid.labels = d.target[1400:] if valid.labels is None else valid.labels
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(72, 32), nn.ReLU(), nn.Linear(32, 10))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(8):
    net.train()
    for x, y in DataLoader(train, batch_size=50, shuffle=True):
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        x, y = next(iter(DataLoader(valid, batch_size=400)))
        print(epoch, loss.item(), nn.functional.cross_entropy(net(x), y).item(), (net(x).argmax(1) == y).float().mean().item())
