import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes

torch.manual_seed(0)
X, y = load_diabetes(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0)).float()
y = torch.tensor((y - y.mean()) / y.std()).float().unsqueeze(1)
perm = torch.randperm(len(X))
train, val = perm[:120], perm[120:]
net = nn.Sequential(nn.Linear(10, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(100):
    net.train()
    for b in train[torch.randperm(120)].split(24):
        loss = nn.functional.mse_loss(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        tl = nn.functional.mse_loss(net(X[train]), y[train]).item()
        vl = nn.functional.mse_loss(net(X[val]), y[val]).item()
    if epoch % 10 == 9:
        print(f"epoch {epoch + 1} train {tl:.4f} val {vl:.4f}")
