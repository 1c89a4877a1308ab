import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X = torch.tensor(X / 16).float()
y = torch.tensor(y).float()
perm = torch.randperm(len(X))
X, y = X[perm], y[perm]
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()
for it in range(500):
    sel = torch.randint(0, 1500, (64,))
    out = model(X[sel]).squeeze(1)
    loss = criterion(out, y[sel])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 0 or it == 499:
        with torch.no_grad():
            out = model(X[1500:]).squeeze(1)
            acc = (out.round() == y[1500:]).float().mean()
        print(it, loss.item(), acc.item())
