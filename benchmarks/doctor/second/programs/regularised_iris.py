import torch
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler
from torch import nn

torch.manual_seed(0)
X, y = load_iris(return_X_y=True)
X = torch.tensor(StandardScaler().fit_transform(X), dtype=torch.float32)
y = torch.tensor(y)
perm = torch.randperm(150)
tr, va = perm[:120], perm[120:]
mlp = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
optim = torch.optim.Adam(mlp.parameters(), lr=0.005, weight_decay=1.0)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(400):
    logits = mlp(X[tr])
    loss = loss_fn(logits, y[tr])
    optim.zero_grad()
    loss.backward()
    optim.step()
    if epoch % 80 == 0:
        with torch.no_grad():
            out = mlp(X[va])
            print(epoch, loss.item(), loss_fn(out, y[va]).item(), (out.argmax(1) == y[va]).float().mean().item())
print("final", loss.item())
