import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X = torch.rand(1600, 2) * 4 - 2
y = ((torch.floor(X[:, 0]) + torch.floor(X[:, 1])) % 2).long()  # checkerboard
train, test = TensorDataset(X[:1300], y[:1300]), TensorDataset(X[1300:], y[1300:])
model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(25):
    model.train()
    for xb, yb in DataLoader(train, batch_size=50, shuffle=True):
        loss = nn.functional.cross_entropy(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        model.eval()
        with torch.no_grad():
            out = model(X[1300:])
            print(epoch + 1, loss.item(), nn.functional.cross_entropy(out, y[1300:]).item(), (out.argmax(1) == y[1300:]).float().mean().item())
