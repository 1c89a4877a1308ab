import torch
from torch import nn
from torch.autograd import grad

torch.manual_seed(1)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x)


critic = Critic()
gen = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
oc = torch.optim.Adam(critic.parameters(), 2e-3, betas=(0.0, 0.9))
og = torch.optim.Adam(gen.parameters(), 1e-3, betas=(0.0, 0.9))


def gradient_penalty(real, fake):
    eps = torch.rand(real.size(0), 1)
    mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
    g, = grad(critic(mix).sum(), mix, create_graph=True)
    return ((g.norm(2, dim=1) - 1) ** 2).mean()


for it in range(250):
    for _ in range(3):
        real = torch.where(torch.rand(64, 1) < 0.5, -2.0, 2.0) + 0.3 * torch.randn(64, 1)
        fake = gen(torch.randn(64, 4)).detach()
        loss_c = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(real, fake)
        oc.zero_grad()
        loss_c.backward()
        oc.step()
    loss_g = -critic(gen(torch.randn(64, 4))).mean()
    og.zero_grad()
    loss_g.backward()
    og.step()
    if it % 50 == 0:
        print(it, loss_c.item(), loss_g.item())
