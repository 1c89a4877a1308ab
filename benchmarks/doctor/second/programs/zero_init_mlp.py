import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X / 16, dtype=torch.float), torch.tensor(y)
perm = torch.randperm(len(y))
X, y = X[perm], y[perm]


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.01)
        nn.init.zeros_(m.bias)


net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
net.apply(init_weights)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(15):
    for i in range(0, 1500, 50):
        opt.zero_grad()
        loss = loss_fn(net(X[i:i + 50]), y[i:i + 50])
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = net(X[1500:])
        print(epoch, loss.item(), loss_fn(out, y[1500:]).item(), (out.argmax(1) == y[1500:]).float().mean().item())
