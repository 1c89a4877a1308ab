"""Layers written by hand as modules with parameters of their own; a loss written out; a table of flowers."""

import math

import torch
from sklearn.datasets import load_iris
from torch import nn

torch.manual_seed(7)
table = load_iris()
x = torch.tensor(table.data, dtype=torch.float32)
x = (x - x.mean(0)) / x.std(0)
t = x[:, :1] * 2 - x[:, 3:] ** 2
order = torch.randperm(150)
x, t = x[order], t[order]


class Dense(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.w = nn.Parameter(torch.randn(inputs, outputs) / math.sqrt(inputs))
        self.b = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return x @ self.w + self.b


class Network(nn.Module):
    def __init__(self, width=40):
        super().__init__()
        self.first = Dense(4, width)
        self.second = Dense(width, width)
        self.third = Dense(width, 1)

    def forward(self, x):
        h = torch.tanh(self.first(x))
        h = torch.tanh(self.second(h))
        return self.third(h)


network = Network()
steps, rate = 400, 0.03
descent = torch.optim.SGD(network.parameters(), lr=rate, momentum=0.8)
for step in range(steps):
    batch = torch.randint(0, 110, (22,))
    error = network(x[batch]) - t[batch]
    loss = (error * error).mean()
    descent.zero_grad()
    loss.backward()
    descent.step()
    if step % 40 == 39:
        with torch.no_grad():
            held = ((network(x[110:]) - t[110:]) ** 2).mean()
        print(f"{step} {loss.item():.4f} {held.item():.4f}")
