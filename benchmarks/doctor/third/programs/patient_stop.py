"""Early stopping with the best weights put back; a net that would overfit if left alone."""
import copy

import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience=6):
        self.patience, self.best, self.bad, self.weights = patience, float("inf"), 0, None

    def __call__(self, value, model):
        if value < self.best:
            self.best, self.bad = value, 0
            self.weights = copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.patience


torch.manual_seed(215)
x = torch.randn(700, 8)
y = (torch.sin(x[:, 0]) + 0.5 * x[:, 1] + 0.4 * torch.randn(700)).unsqueeze(1)
parts = {"train": slice(0, 300), "val": slice(300, 500), "test": slice(500, 700)}
model = nn.Sequential(nn.Linear(8, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
stopping = EarlyStopping()


def error(part):
    model.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(model(x[parts[part]]), y[parts[part]]).item()


for epoch in range(200):
    model.train()
    for rows in torch.randperm(300).split(30):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    value = error("val")
    if epoch % 4 == 0:
        print(f"epoch {epoch}: train {error('train'):.3f} validation {value:.3f}")
    if stopping(value, model):
        break
model.load_state_dict(stopping.weights)
print(f"stopped in epoch {epoch}; best validation {stopping.best:.3f}, test {error('test'):.3f}")
