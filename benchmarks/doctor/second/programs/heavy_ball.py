import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X / 16).float(), torch.tensor(y)
order = torch.randperm(len(X))
X, y = X[order], y[order]
net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.999)
ce = nn.CrossEntropyLoss()
for epoch in range(16):
    for i in range(0, 1500, 60):
        opt.zero_grad()
        loss = ce(net(X[i:i + 60]), y[i:i + 60])
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = net(X[1500:])
        print(epoch, loss.item(), ce(out, y[1500:]).item(), (out.argmax(1) == y[1500:]).float().mean().item())
