import torch
from sklearn.datasets import make_friedman1
from torch import nn


class MyAdam:
    def __init__(self, params, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8):
        self.params = list(params)
        self.lr, self.b1, self.b2, self.eps, self.t = lr, b1, b2, eps, 0
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.zero_()

    @torch.no_grad()
    def step(self):
        self.t += 1
        for p, m, v in zip(self.params, self.m, self.v):
            m.mul_(self.b1).add_(p.grad, alpha=1 - self.b1)
            v.mul_(self.b2).addcmul_(p.grad, p.grad, value=1 - self.b2)
            p.addcdiv_(m / (1 - self.b1 ** self.t), (v / (1 - self.b2 ** self.t)).sqrt().add_(self.eps), value=-self.lr)


torch.manual_seed(0)
X, y = make_friedman1(1500, noise=0.5, random_state=0)
X = torch.tensor(X).float() * 2 - 1
y = torch.tensor((y - y.mean()) / y.std()).float().unsqueeze(1)
net = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 1))
opt = MyAdam(net.parameters(), lr=3e-3)
for step in range(500):
    b = torch.randint(0, 1200, (64,))
    loss = nn.functional.mse_loss(net(X[b]), y[b])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        with torch.no_grad():
            print(step + 1, loss.item(), nn.functional.mse_loss(net(X[1200:]), y[1200:]).item())
