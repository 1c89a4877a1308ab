"""MAML on sine waves, second order, with functional_call and an inner loop of two steps."""
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call

torch.manual_seed(218)
net = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1))
meta = torch.optim.Adam(net.parameters(), lr=2e-3)
INNER = 0.05


def task():
    amplitude, phase = 0.5 + torch.rand(()) * 1.5, torch.rand(()) * math.pi
    draw = lambda n: (lambda x: (x, amplitude * torch.sin(2 * x + phase)))(torch.rand(n, 1) * 4 - 2)
    return draw(10), draw(10)


def adapt(params, x, y, steps=2, graph=True):
    for _ in range(steps):
        loss = F.mse_loss(functional_call(net, params, (x,)), y)
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=graph)
        params = {k: p - INNER * g for (k, p), g in zip(params.items(), grads)}
    return params


def evaluate(tasks):
    before = after = 0.0
    for (xs, ys), (xq, yq) in tasks:
        start = {k: p.detach().requires_grad_() for k, p in net.named_parameters()}
        fast = adapt(start, xs, ys, graph=False)
        before += F.mse_loss(net(xq), yq).item() / len(tasks)
        after += F.mse_loss(functional_call(net, fast, (xq,)), yq).item() / len(tasks)
    return before, after


fixed = [task() for _ in range(50)]
for it in range(1, 401):
    outer = 0.0
    for _ in range(4):
        (xs, ys), (xq, yq) = task()
        outer = outer + F.mse_loss(functional_call(net, adapt(dict(net.named_parameters()), xs, ys), (xq,)), yq) / 4
    meta.zero_grad()
    outer.backward()
    meta.step()
    if it % 80 == 0:
        print(f"iteration {it}: outer loss {outer.item():.3f}; unseen tasks before %.3f after adaptation %.3f" % evaluate(fixed))
