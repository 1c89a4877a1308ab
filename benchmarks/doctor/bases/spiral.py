"""Two spirals: a sigmoid at the end, binary cross-entropy, all points in every step."""

import math

import torch
import torch.nn as nn


def spirals(n, noise=0.05):
    t = torch.rand(n) * 2 * math.pi + 0.5
    sign = torch.where(torch.arange(n) % 2 == 0, 1.0, -1.0)
    points = torch.stack([sign * t * torch.cos(t), sign * t * torch.sin(t)], dim=1) / 6
    return points + noise * torch.randn(n, 2), (sign > 0).float().unsqueeze(1)


torch.manual_seed(11)
points, labels = spirals(500)
held_points, held_labels = spirals(200)
width = 48
net = nn.Sequential()
net.add_module("enter", nn.Linear(2, width))
net.add_module("act1", nn.Tanh())
net.add_module("hidden", nn.Linear(width, width))
net.add_module("act2", nn.Tanh())
net.add_module("score", nn.Linear(width, 1))
net.add_module("probability", nn.Sigmoid())
loss_fn = nn.BCELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)

history = []
for iteration in range(400):
    probabilities = net(points)
    loss = loss_fn(probabilities, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss.item())
    if (iteration + 1) % 100 == 0:
        net.eval()
        with torch.no_grad():
            guess = net(held_points)
            held_loss = loss_fn(guess, held_labels)
            accuracy = ((guess > 0.5) == held_labels.bool()).float().mean()
        net.train()
        print(f"{iteration + 1:4d} {loss.item():.4f} {held_loss.item():.4f} {accuracy.item():.3f}")
