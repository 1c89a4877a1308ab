import torch
from sklearn.datasets import load_iris
from torch import nn

torch.manual_seed(0)
X, y = load_iris(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=torch.float32)
y = torch.tensor(y)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(300):
    b = torch.randint(0, 150, (30,))
    loss = nn.functional.cross_entropy(net(X[b]), y[b])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 49:
        print(step + 1, loss.item())
