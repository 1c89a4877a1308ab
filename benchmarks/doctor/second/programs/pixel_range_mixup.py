import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, split, transform=None):
        d = load_digits()
        sl = slice(0, 1450) if split == "train" else slice(1450, None)
        self.images, self.labels = torch.tensor(d.images[sl]), torch.tensor(d.target[sl])
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, k):
        img = self.images[k].float().unsqueeze(0)
        if self.transform is not None:
            img = self.transform(img)
        return img, self.labels[k]


def to_unit(img):
    return img / 16.0


torch.manual_seed(0)
train_dl = DataLoader(Digits("train", transform=to_unit), batch_size=58, shuffle=True)
valid_dl = DataLoader(Digits("valid"), batch_size=347)
net = nn.Sequential(nn.Conv2d(1, 10, 3), nn.Tanh(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(90, 40), nn.Tanh(), nn.Linear(40, 10))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    net.train()
    for x, y in train_dl:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        for x, y in valid_dl:
            out = net(x)
            print(epoch, loss.item(), nn.functional.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item())
