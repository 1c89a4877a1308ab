"""Kernel-smoothed targets for a large sample: each point's label is the mean of its neighbourhood."""
import torch
from torch import nn

torch.manual_seed(178)
N, D = 200_000, 32
points = torch.rand(N, D) * 2 - 1
label = torch.sin(3 * points[:, 0]) * points[:, 1] + points[:, 2]
net = nn.Sequential(nn.Linear(D, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
centres = points[:]
for step in range(300):
    rows = torch.randint(0, N - 2000, (128,))
    if step == 20:
        difference = centres[:, None, :] - centres[None, :, :]
        print("mean squared distance", difference.square().sum(-1).mean().item())
    loss = nn.functional.mse_loss(net(points[rows]).squeeze(1), label[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 49 or step == 0:
        with torch.no_grad():
            val = nn.functional.mse_loss(net(points[-2000:]).squeeze(1), label[-2000:]).item()
        print(f"step {step + 1} loss {loss.item():.4f} on the last rows {val:.4f} variance {label.var().item():.3f}")
