"""Conditional density of temperature given the day of the year, by maximum likelihood."""
import math

import torch
from torch.distributions import Normal
from torch.func import functional_call, grad_and_value

torch.manual_seed(4)
day = torch.rand(1200, 1)
mean = 8 * torch.sin(2 * math.pi * day) + 3 * torch.cos(4 * math.pi * day)
temperature = (mean + (1.0 + 2.0 * day) * torch.randn_like(day)) / 6
features = torch.cat([torch.sin(2 * math.pi * day), torch.cos(2 * math.pi * day), 2 * day - 1], 1)
train, held = slice(0, 1000), slice(1000, None)

net = torch.nn.Sequential(torch.nn.Linear(3, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))
weights = {name: p.detach().clone() for name, p in net.named_parameters()}


def objective(weights, x, y):
    location, raw = functional_call(net, weights, (x,)).chunk(2, dim=-1)
    log_likelihood = Normal(4 * torch.tanh(location / 4), torch.nn.functional.softplus(raw) + 0.05).log_prob(y)
    return log_likelihood.mean()


step = grad_and_value(objective)
speed = {name: torch.zeros_like(w) for name, w in weights.items()}
for i in range(600):
    rows = torch.randint(0, 1000, (100,))
    gradient, value = step(weights, features[rows], temperature[rows])
    for name in weights:
        speed[name] = 0.9 * speed[name] - 0.02 * gradient[name]
        weights[name] = weights[name] + speed[name]
    if i % 100 == 0 or i == 599:
        print(i, "objective", round(value.item(), 4), "held out", round(objective(weights, features[held], temperature[held]).item(), 4))
