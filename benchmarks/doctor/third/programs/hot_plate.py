# Steady temperature of a plate with four heated sides: learn the solver's answer.
import torch
from torch import nn, optim

torch.manual_seed(5)
G = 10


def solve(sides, sweeps=120):
    T = torch.zeros(len(sides), G, G)
    T[:, 0, :], T[:, -1, :] = sides[:, 0:1], sides[:, 1:2]
    T[:, :, 0], T[:, :, -1] = sides[:, 2:3], sides[:, 3:4]
    for _ in range(sweeps):
        T[:, 1:-1, 1:-1] = (T[:, :-2, 1:-1] + T[:, 2:, 1:-1] + T[:, 1:-1, :-2] + T[:, 1:-1, 2:]) / 4
    return T[:, 1:-1, 1:-1].flatten(1)


sides = torch.rand(1500, 4) * 2 - 1
fields = solve(sides)
model = nn.Sequential(nn.Linear(4, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 64))
optimizer = optim.SGD(model.parameters(), lr=8.0, momentum=0.9)
loss_fn = nn.MSELoss()
for epoch in range(10):
    perm = torch.randperm(1200)
    total = 0.0
    for b in range(0, 1200, 30):
        i = perm[b : b + 30]
        optimizer.zero_grad()
        loss = loss_fn(model(sides[i]), fields[i])
        loss.backward()
        optimizer.step()
        total += loss.item() / 40
    with torch.no_grad():
        val = loss_fn(model(sides[1200:]), fields[1200:]).item()
    print(f"epoch {epoch}: {total:.5g}  validation {val:.5g}  (variance {fields.var().item():.3f})")
