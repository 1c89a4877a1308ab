import torch
from torch import nn

torch.manual_seed(0)
# three-armed spiral
N, K = 200, 3
X, y = torch.zeros(N * K, 2), torch.zeros(N * K)
for j in range(K):
    r = torch.linspace(0.05, 1, N)
    t = torch.linspace(j * 4, (j + 1) * 4, N) + torch.randn(N) * 0.2
    X[j * N:(j + 1) * N] = torch.stack([r * torch.sin(t), r * torch.cos(t)], 1)
    y[j * N:(j + 1) * N] = j
model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.MSELoss()
for it in range(500):
    sel = torch.randint(0, N * K, (64,))
    out = model(X[sel]).squeeze(1)
    loss = criterion(out, y[sel])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 0:
        with torch.no_grad():
            out = model(X).squeeze(1)
            acc = (out.round() == y).float().mean()
        print(it, loss.item(), acc.item())
with torch.no_grad():
    print("final accuracy", (model(X).squeeze(1).round() == y).float().mean().item())
