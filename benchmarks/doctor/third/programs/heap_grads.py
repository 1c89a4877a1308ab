# Handwritten digits, LeNet-ish, trained for a few passes.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

rng = np.random.RandomState(33)
torch.manual_seed(33)


class LeNetSmall(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.fc1 = nn.Linear(16 * 2 * 2, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


d = load_digits()
perm = rng.permutation(len(d.images))
imgs = torch.tensor(d.images[perm][:, None] / 8.0 - 1.0, dtype=torch.float32)
lab = torch.tensor(d.target[perm])
n_train = 1300

model = LeNetSmall()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def train_one_epoch():
    model.train()
    losses = []
    for i in range(0, n_train, 32):
        out = model(imgs[i : min(i + 32, n_train)])
        loss = F.cross_entropy(out, lab[i : min(i + 32, n_train)])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.mean(losses)


def validate():
    model.eval()
    with torch.no_grad():
        out = model(imgs[n_train:])
        return F.cross_entropy(out, lab[n_train:]).item(), (out.argmax(1) == lab[n_train:]).float().mean().item()


for epoch in range(8):
    tr = train_one_epoch()
    va, acc = validate()
    print(f"[{epoch}] train={tr:.3f} val={va:.3f} acc={acc:.3f}")
