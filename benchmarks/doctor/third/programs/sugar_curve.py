# Diabetes progression one year after baseline (442 patients, ten measurements).
import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

torch.manual_seed(1)
raw = load_diabetes()
idx = torch.randperm(442)
train_idx, val_idx = idx[:340].numpy(), idx[340:].numpy()

sx = StandardScaler().fit(raw.data[train_idx])
sy = StandardScaler().fit(raw.target[train_idx, None])
to = lambda a: torch.tensor(a, dtype=torch.float32)
Xtr, ytr = to(sx.transform(raw.data[train_idx])), to(sy.transform(raw.target[train_idx, None]))
Xva, yva = to(sx.transform(raw.data[val_idx])), to(sy.transform(raw.target[val_idx, None]))


class Regressor(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.inner = nn.Linear(10, width)
        self.outer = nn.Linear(width, 1)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.outer(self.act(self.inner(x))))


model = Regressor()
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
mse = nn.MSELoss()
for epoch in range(30):
    model.train()
    for rows in torch.randperm(len(Xtr)).split(34):
        opt.zero_grad()
        loss = mse(model(Xtr[rows]), ytr[rows])
        loss.backward()
        opt.step()
    model.eval()
    if epoch % 3 == 2:
        with torch.no_grad():
            print(f"{epoch + 1:3d}: train {mse(model(Xtr), ytr).item():.3f}, val {mse(model(Xva), yva).item():.3f}")
