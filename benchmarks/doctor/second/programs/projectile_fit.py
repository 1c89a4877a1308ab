# learn the range of a projectile from speed and angle
import math

import torch

torch.manual_seed(2)
speed = torch.rand(1000) * 20 + 5
angle = torch.rand(1000) * math.pi / 2
distance = speed ** 2 * torch.sin(2 * angle) / 9.81
features = torch.stack([(speed - 15) / 5.8, (angle - 0.785) / 0.45], dim=1)
target = (distance - distance.mean()) / distance.std()

net = torch.nn.Sequential(
    torch.nn.Linear(2, 64), torch.nn.Tanh(),
    torch.nn.Linear(64, 64), torch.nn.Tanh(),
    torch.nn.Linear(64, 1),
)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(400):
    pick = torch.randint(0, 1000, (100,))
    pred = net(features[pick])
    loss = ((pred - target[pick]) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        print(f"step {step + 1}: {loss.item():.4f}")
r = torch.corrcoef(torch.stack([net(features).detach()[:, 0], target]))[0, 1]
print("correlation", r.item(), "rms error", (net(features).detach()[:, 0] - target).pow(2).mean().sqrt().item())
