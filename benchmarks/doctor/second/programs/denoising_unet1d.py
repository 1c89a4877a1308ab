# tiny DDPM on two moons
import torch
import torch.nn as nn
from sklearn.datasets import make_moons

torch.manual_seed(0)
data = torch.tensor(make_moons(2000, noise=0.05, random_state=0)[0]).float()
data = (data - data.mean(0)) / data.std(0)
T = 50
beta = torch.linspace(1e-4, 0.15, T)
abar = torch.cumprod(1 - beta, 0)


class Eps(nn.Module):
    def __init__(self, h=96):
        super().__init__()
        self.time = nn.Embedding(T, 32)
        self.net = nn.Sequential(nn.Linear(2 + 32, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], -1))


model = Eps()
ema = {k: v.clone() for k, v in model.state_dict().items()}
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(600):
    x0 = data[torch.randint(0, 2000, (128,))]
    t = torch.randint(0, T, (128,))
    noise = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * noise
    loss = (model(xt, t) - noise).pow(2).mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    with torch.no_grad():
        for k, v in model.state_dict().items():
            ema[k].lerp_(v, 0.02)
    if step % 120 == 119:
        print(step + 1, loss.item())
