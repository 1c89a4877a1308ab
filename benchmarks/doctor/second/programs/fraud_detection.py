import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
# transactions: 3 % are fraud, and look only a bit different
n = 4000
y = (torch.rand(n) < 0.03).long()
X = torch.randn(n, 12)
X[:, :4] += 0.9 * y.unsqueeze(1)
train, val = TensorDataset(X[:3200], y[:3200]), TensorDataset(X[3200:], y[3200:])


class Fraud(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, x):
        return self.net(x)


model = Fraud()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for epoch in range(8):
    model.train()
    for xb, yb in DataLoader(train, batch_size=64, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        xv, yv = val.tensors
        out = model(xv)
        pred = out.argmax(1)
    recall = (pred[yv == 1] == 1).float().mean().item()
    print(f"epoch {epoch} loss {loss.item():.3f} acc {(pred == yv).float().mean():.3f} recall {recall:.3f} predicted fraud {(pred == 1).sum().item()}")
