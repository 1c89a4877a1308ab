"""Predict where a damped spring will be, with a rate of our own making: half it at milestones."""
import torch

torch.manual_seed(30)


def trajectories(n, steps=12):
    k, c = 2 + 4 * torch.rand(n), 0.4 * torch.rand(n)
    x, v = torch.randn(n), torch.randn(n)
    states = []
    for _ in range(steps):
        for _ in range(10):
            v = v - 0.02 * (k * x + c * v)
            x = x + 0.02 * v
        states.append(x)
    s = torch.stack(states, 1)
    return s[:, :8], s[:, 8:9]


inputs, future = trajectories(1600)
net = torch.nn.Sequential(torch.nn.Linear(8, 48), torch.nn.Softplus(), torch.nn.Linear(48, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
updates = 0


def set_rate():
    rate = 0.01 * 0.5 ** (updates // 4)
    for group in optimizer.param_groups:
        group["lr"] = rate


for epoch in range(20):
    for rows in torch.randperm(1280).split(32):
        set_rate()
        loss = (net(inputs[rows]) - future[rows]).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        updates += 1
    if epoch % 4 == 3:
        with torch.no_grad():
            val = (net(inputs[1280:]) - future[1280:]).abs().mean().item()
        print(f"epoch {epoch + 1}, mean deviation {loss.item():.4f}, validation {val:.4f}, of the constant {future.abs().mean().item():.4f}")
