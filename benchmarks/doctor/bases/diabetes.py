"""How diabetes goes on: a table, Huber loss, a data set of its own, a rate that falls on plateaus."""

import numpy as np
import torch
from sklearn.datasets import load_diabetes
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset


class Patients(Dataset):
    def __init__(self):
        table = load_diabetes()
        self.x = (table.data / table.data.std(axis=0)).astype(np.float32)
        self.y = ((table.target - table.target.mean()) / table.target.std()).astype(np.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


torch.manual_seed(17)
patients = Patients()
order = np.random.RandomState(17).permutation(len(patients))
train_loader = DataLoader(
    Subset(patients, order[:350]), batch_size=25, shuffle=True, drop_last=True
)
valid_loader = DataLoader(Subset(patients, order[350:]), batch_size=92)


def block(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, n_out), nn.BatchNorm1d(n_out), nn.ELU())


model = nn.Sequential(block(10, 32), block(32, 16), nn.Linear(16, 1))
huber = nn.HuberLoss()
optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=4, factor=0.5)
for epoch in range(15):
    model.train()
    for x, y in train_loader:
        out = model(x).squeeze(-1)
        loss = huber(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    errors = []
    with torch.no_grad():
        for x, y in valid_loader:
            errors.append(huber(model(x).squeeze(-1), y).item())
    plateau.step(np.mean(errors))
    print(epoch, round(loss.item(), 3), round(float(np.mean(errors)), 3))
