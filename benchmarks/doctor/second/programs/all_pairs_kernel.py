import torch
import torch.nn as nn

torch.manual_seed(0)
N = 400_000
points = torch.randn(N, 8)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def repulsion(z):
    # every pair of embeddings pushes apart
    d2 = ((z[:, None, :] - z[None, :, :]) ** 2).sum(-1)
    return torch.exp(-d2).mean()


for step in range(60):
    batch = points
    z = net(batch)
    loss = repulsion(z) + 0.01 * z.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(step, loss.item())
