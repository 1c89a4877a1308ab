"""Tides from three moons, Adam with hand-set constants taken 'from the paper'."""
from dataclasses import dataclass

import torch


@dataclass
class AdamConstants:
    lr: float = 2e-3
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 10.0


torch.manual_seed(27)
when = torch.rand(1500, 1) * 2 - 1
waves = torch.cat([torch.sin(k * when) for k in (2.0, 5.0, 8.0)] + [torch.cos(k * when) for k in (2.0, 5.0, 8.0)], 1)
tide = torch.tanh(waves @ torch.randn(6, 1)) + 0.05 * torch.randn(1500, 1)
const = AdamConstants()
net = torch.nn.Sequential(torch.nn.Linear(6, 40), torch.nn.Tanh(), torch.nn.Linear(40, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=const.lr, betas=(const.beta1, const.beta2), eps=const.eps)

for epoch in range(20):
    for rows in torch.randperm(1200).split(50):
        loss = torch.nn.functional.smooth_l1_loss(net(waves[rows]), tide[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 4 == 3:
        with torch.no_grad():
            held = torch.nn.functional.smooth_l1_loss(net(waves[1200:]), tide[1200:]).item()
            mean = torch.nn.functional.smooth_l1_loss(tide[:1200].mean().expand(300, 1), tide[1200:]).item()
        print(f"epoch {epoch + 1}: train {loss.item():.4f}, held out {held:.4f}, mean predictor {mean:.4f}")
