# SimSiam: predictor and stop-gradient, no negatives
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(0)
X = torch.tensor(load_digits().data / 16.0).float()


def view(x):
    return x * (torch.rand_like(x) > 0.2) + 0.1 * torch.randn_like(x)


f = nn.Sequential(nn.Linear(64, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, 32), nn.BatchNorm1d(32, affine=False))
h = nn.Sequential(nn.Linear(32, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 32))
opt = torch.optim.SGD([*f.parameters(), *h.parameters()], lr=0.05, momentum=0.9, weight_decay=1e-4)
for step in range(250):
    x = X[torch.randint(0, len(X), (96,))]
    z1, z2 = f(view(x)), f(view(x))
    p1, p2 = h(z1), h(z2)
    loss = -(F.cosine_similarity(p1, z2.detach()).mean() + F.cosine_similarity(p2, z1.detach()).mean()) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(step, loss.item(), "std of codes", F.normalize(z1, dim=1).std(0).mean().item())
