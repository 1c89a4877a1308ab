import torch
import torch.nn as nn

torch.manual_seed(0)
# metric learning: pull together two noisy views, push apart others
centers = torch.randn(12, 20)


def euclidean(a, b):
    return torch.sqrt(((a - b) ** 2).sum(1))


net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 8))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
bank = (centers[:, None] + 0.4 * torch.randn(12, 10, 20))
for step in range(300):
    c = torch.randint(0, 12, (64,))
    n = (c + torch.randint(1, 12, (64,))) % 12
    i, j, k = torch.randint(0, 10, (3, 64))
    za, zp, zn = net(bank[c, i]), net(bank[c, j]), net(bank[n, k])
    loss = torch.relu(euclidean(za, zp) - euclidean(za, zn) + 1.0).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0 or step == 299:
        print(step, loss.item())
