import math

import torch
from torch import nn

torch.manual_seed(0)
t = torch.arange(1200.0)
wave = torch.sin(t / 7) + 0.5 * torch.sin(t / 2.3 + 1) + 0.1 * torch.randn(1200)
win = wave.unfold(0, 21, 1)
xs, ys = win[:, :20], win[:, 20:]
model = nn.Sequential(nn.Linear(20, 64), nn.SiLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5)


def lr_lambda(step):
    return math.exp(-0.2 * step)


sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda)
for step in range(400):
    sel = torch.randint(0, 1000, (64,))
    loss = nn.functional.mse_loss(model(xs[sel]), ys[sel])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 50 == 0:
        print(step, loss.item(), opt.param_groups[0]["lr"])
with torch.no_grad():
    print("test mse", nn.functional.mse_loss(model(xs[1000:]), ys[1000:]).item())
