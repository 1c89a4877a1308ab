import numpy as np
import torch
from sklearn.datasets import load_wine
from torch import nn

torch.manual_seed(0)
np.random.seed(0)
wine = load_wine()
idx = np.random.permutation(178)
X = torch.tensor(wine.data[idx], dtype=torch.float32)
y = torch.tensor(wine.target[idx])
X_train, y_train, X_test, y_test = X[:140], y[:140], X[140:], y[140:]
model = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(300):
    out = model(X_train)
    loss = criterion(out, y_train)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 50 == 0 or epoch == 299:
        with torch.no_grad():
            print(epoch, loss.item(), criterion(model(X_test), y_test).item(), (model(X_test).argmax(1) == y_test).float().mean().item())
