import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
d = load_digits()
X = torch.tensor(d.data, dtype=torch.float32)
y = torch.tensor(d.target)
# per-pixel standardisation
X = (X - X.mean(dim=0)) / X.std(dim=0)
X = X.view(-1, 1, 8, 8)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(6):
    for b in torch.randperm(1500).split(30):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(X[b]), y[b])
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(epoch, loss.item(), (net(X[1500:]).argmax(1) == y[1500:]).float().mean().item())
