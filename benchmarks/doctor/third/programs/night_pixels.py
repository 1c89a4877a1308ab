"""Digits again, but with every array written out: forward, loss, update."""
import numpy as np
import torch
from sklearn.datasets import load_digits

rng = np.random.default_rng(90)
torch.manual_seed(90)
bunch = load_digits()
order = rng.permutation(1797)
x = torch.tensor(bunch.data[order] / 16.0, dtype=torch.float32)
y = torch.tensor(bunch.target[order])


def weight(rows, columns, low, high):
    w = low + (high - low) * torch.rand(rows, columns)
    return (w / rows**0.5).requires_grad_()


W = [weight(64, 100, -2.0, 0.0), weight(100, 10, -2.0, 2.0)]
B = [torch.zeros(100, requires_grad=True), torch.zeros(10, requires_grad=True)]
optimizer = torch.optim.SGD([*W, *B], lr=0.1, momentum=0.9)


def network(v):
    hidden = torch.relu(v @ W[0] + B[0])
    return hidden @ W[1] + B[1]


for epoch in range(15):
    for rows in np.array_split(rng.permutation(1400), 28):
        loss = torch.nn.functional.cross_entropy(network(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 3 == 2:
        with torch.no_grad():
            out = network(x[1400:])
            val = torch.nn.functional.cross_entropy(out, y[1400:]).item()
            print(epoch + 1, f"train {loss.item():.3f} val {val:.3f} acc {(out.argmax(1) == y[1400:]).float().mean().item():.3f}")
