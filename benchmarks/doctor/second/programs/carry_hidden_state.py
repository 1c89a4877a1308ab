# truncated backpropagation through time on one long series
import torch
from torch import nn

torch.manual_seed(0)
series = torch.sin(torch.arange(2001) * 0.2) + 0.1 * torch.randn(2001)
cell, out = nn.GRUCell(1, 16), nn.Linear(16, 1)
opt = torch.optim.Adam([*cell.parameters(), *out.parameters()], lr=5e-3)
h = torch.zeros(1, 16)
for k in range(0, 2000, 20):
    loss = 0
    for t in range(k, k + 20):
        h = cell(series[t].view(1, 1), h)
        loss = loss + (out(h).squeeze() - series[t + 1]) ** 2 / 20
    opt.zero_grad()
    loss.backward()
    opt.step()
    if k % 400 == 0:
        print(k, loss.item())
