import torch
from sklearn.datasets import load_diabetes
from torch import nn

# tabular regression, arrays straight from scikit-learn
torch.manual_seed(172)
X, y = load_diabetes(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
y = (y - y.mean()) / y.std()
perm = torch.randperm(len(X))
X, y = torch.from_numpy(X)[perm], torch.from_numpy(y)[perm]

net = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-3)
for epoch in range(20):
    for i in range(0, 350, 25):
        optimizer.zero_grad()
        out = net(X[i : i + 25])
        loss = nn.functional.mse_loss(out.squeeze(1), y[i : i + 25])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(f"epoch {epoch}: {loss.item():.3f}, held out {nn.functional.mse_loss(net(X[350:]).squeeze(1), y[350:]).item():.3f}")
