# u'' + u = 0, u(0) = 0, u'(0) = 1 -> sin
import torch
from torch import nn

torch.manual_seed(0)


class PINN(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, t):
        return self.f(t)


def d(y, t):
    return torch.autograd.grad(y, t, torch.ones_like(y), create_graph=True)[0]


pinn = PINN()
opt = torch.optim.Adam(pinn.parameters(), lr=3e-3)
for it in range(600):
    t = (torch.rand(64, 1) * 3).requires_grad_(True)
    u = pinn(t)
    residual = d(d(u, t), t) + u
    t0 = torch.zeros(1, 1, requires_grad=True)
    u0 = pinn(t0)
    loss = residual.pow(2).mean() + 5 * u0.pow(2).mean() + 5 * (d(u0, t0) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 120 == 0:
        print(it, loss.item())
with torch.no_grad():
    g = torch.linspace(0, 3, 31).unsqueeze(1)
    print("max error", (pinn(g) - g.sin()).abs().max().item())
