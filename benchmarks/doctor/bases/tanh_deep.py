"""A smooth function of six numbers: eight tanh layers, Xavier weights, SGD, minibatches by hand."""

from itertools import pairwise

import torch
import torch.nn as nn

torch.manual_seed(18)
N = 1024
x = torch.rand(N, 6) * 2 - 1
f = torch.sin(3 * x[:, 0]) * x[:, 1] + x[:, 2] ** 2 - x[:, 3] * x[:, 4]
y = (f - f.mean()) / f.std()
x_tr, y_tr = x[:800], y[:800]
x_te, y_te = x[800:], y[800:]

layers = []
sizes = [6] + [40] * 7
for a, b in pairwise(sizes):
    linear = nn.Linear(a, b)
    nn.init.xavier_normal_(linear.weight, gain=5 / 3)
    nn.init.zeros_(linear.bias)
    layers += [linear, nn.Tanh()]
layers.append(nn.Linear(40, 1))
network = nn.Sequential(*layers)
learning_rate = 0.02
sgd = torch.optim.SGD(network.parameters(), learning_rate, momentum=0.9)
for step in range(1500):
    take = torch.randint(0, len(x_tr), (64,))
    guess = network(x_tr[take]).flatten()
    loss = torch.mean((guess - y_tr[take]) ** 2)
    sgd.zero_grad()
    loss.backward()
    sgd.step()
    if step % 300 == 299:
        with torch.no_grad():
            test = torch.mean((network(x_te).flatten() - y_te) ** 2)
        print(step, loss.item(), test.item())
