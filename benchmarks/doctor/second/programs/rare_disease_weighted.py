import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
y = (torch.rand(4000) < 0.06).float()
X = torch.randn(4000, 8)
X[:, 0] += 2.0 * y
X[:, 1] -= 1.5 * y
Xt, yt, Xv, yv = X[:3200], y[:3200], X[3200:], y[3200:]
pos_weight = (yt == 0).sum() / (yt == 1).sum()
criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    model.train()
    for xb, yb in DataLoader(TensorDataset(Xt, yt), batch_size=64, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(xb).squeeze(-1), yb)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        out = model(Xv).squeeze(-1)
        pred = out > 0
        print(epoch, criterion(out, yv).item(), "recall", pred[yv == 1].float().mean().item(), "false positives", pred[yv == 0].float().mean().item())
