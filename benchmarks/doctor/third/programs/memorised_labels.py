"""Digits with a quarter of the labels smudged, a wide network and all the patience in the world."""
import copy

import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(161)
raw = load_digits()
x = torch.tensor(raw.data / 16, dtype=torch.float32)
y = torch.tensor(raw.target)
p = torch.randperm(1797)
x, y = x[p], y[p]
smudge = torch.rand(1797) < 0.25
y = torch.where(smudge, torch.randint(0, 10, (1797,)), y)


class Fitter:
    def __init__(self, patience):
        self.net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=2e-3)
        self.patience = patience
        self.best, self.waited, self.state = float("inf"), 0, None

    def loss(self, a, b):
        return nn.functional.cross_entropy(self.net(x[a:b]), y[a:b])

    def epoch(self):
        for rows in torch.randperm(500).split(50):
            value = nn.functional.cross_entropy(self.net(x[rows]), y[rows])
            self.optimizer.zero_grad()
            value.backward()
            self.optimizer.step()
        with torch.no_grad():
            return self.loss(0, 500).item(), self.loss(500, 1100).item()

    def fit(self, epochs):
        for epoch in range(epochs):
            train, val = self.epoch()
            if epoch % 5 == 0:
                print(f"epoch {epoch:3d} train {train:.3f} validation {val:.3f}")
            if val < self.best:
                self.best, self.waited, self.state = val, 0, copy.deepcopy(self.net.state_dict())
            else:
                self.waited += 1
            if self.waited > self.patience:
                self.net.load_state_dict(self.state)
                print("stopped after", epoch + 1, "epochs")
                break
        return self


fitter = Fitter(patience=1000).fit(60)
with torch.no_grad():
    print("validation at the end:", round(fitter.loss(500, 1100).item(), 3), "test:", round(fitter.loss(1100, 1797).item(), 3))
