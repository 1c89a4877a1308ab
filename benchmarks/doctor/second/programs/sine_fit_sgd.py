import argparse

import torch

p = argparse.ArgumentParser(description="fit a noisy sine")
p.add_argument("--lr", default=2.0, type=float)
p.add_argument("--hidden", default=50, type=int)
p.add_argument("--iters", default=400, type=int)
a = p.parse_args()
torch.manual_seed(0)
x = torch.linspace(-3, 3, 256).unsqueeze(1)
y = torch.sin(2 * x) + 0.1 * torch.randn_like(x)
net = torch.nn.Sequential(torch.nn.Linear(1, a.hidden), torch.nn.Tanh(), torch.nn.Linear(a.hidden, a.hidden), torch.nn.Tanh(), torch.nn.Linear(a.hidden, 1))
opt = torch.optim.SGD(net.parameters(), lr=a.lr, momentum=0.9)
for k in range(a.iters):
    loss = ((net(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if k % 50 == 0 or k == a.iters - 1:
        print(k, loss.item())
