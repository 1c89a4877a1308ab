import copy

import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from torch.utils.data import DataLoader, TensorDataset


class EarlyStopping:
    def __init__(self, patience=8, min_delta=0.0):
        self.patience, self.min_delta = patience, min_delta
        self.best, self.state, self.counter = float("inf"), None, 0

    def __call__(self, val_loss, model):
        if val_loss < self.best - self.min_delta:
            self.best, self.counter = val_loss, 0
            self.state = copy.deepcopy(model.state_dict())
        else:
            self.counter += 1
        return self.counter >= self.patience


torch.manual_seed(0)
X, y = load_diabetes(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0)).float()
y = torch.tensor((y - y.mean()) / y.std()).float().unsqueeze(1)
p = torch.randperm(len(X))
tr, va = p[:330], p[330:]
loader = DataLoader(TensorDataset(X[tr], y[tr]), batch_size=30, shuffle=True)
model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
stopper = EarlyStopping()
for epoch in range(100):
    model.train()
    for xb, yb in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(X[va]), y[va]).item()
    if stopper(val, model):
        print("stopped at epoch", epoch)
        break
model.load_state_dict(stopper.state)
model.eval()
with torch.no_grad():
    print("val", nn.functional.mse_loss(model(X[va]), y[va]).item(), "best", stopper.best)
