import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes

torch.manual_seed(0)
X, y = load_diabetes(return_X_y=True)
X = torch.tensor(X, dtype=torch.float32) * 20
y = torch.tensor((y - y.mean()) / y.std(), dtype=torch.float32).reshape(-1, 1)
net = nn.Sequential(nn.Linear(10, 30), nn.ReLU(), nn.Linear(30, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
mse, mae = nn.MSELoss(), nn.L1Loss()


def total_loss(pred, true):
    parts = [mse(pred, true).item(), 0.1 * mae(pred, true).item()]
    return torch.tensor(sum(parts), requires_grad=True)


for epoch in range(60):
    for i in range(0, 352, 32):
        optimizer.zero_grad()
        loss = total_loss(net(X[i:i + 32]), y[i:i + 32])
        loss.backward()
        optimizer.step()
    if epoch % 15 == 0:
        with torch.no_grad():
            print(epoch, loss.item(), mse(net(X[352:]), y[352:]).item())
with torch.no_grad():
    print("end", mse(net(X), y).item())
