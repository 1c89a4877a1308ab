"""Rare class made frequent by repeating its rows; then the usual split."""
import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from torch import nn

torch.manual_seed(146)
rng = np.random.default_rng(146)
X, y = make_classification(
    900, 20, n_informative=4, n_redundant=0, weights=[0.75], class_sep=1.1, flip_y=0.02, random_state=146
)
X = X.astype(np.float32) / X.std(0).astype(np.float32)


def balance(X, y):
    rare = np.flatnonzero(y == 1)
    extra = rng.choice(rare, (y == 0).sum() - len(rare))
    return np.concatenate([X, X[extra]]), np.concatenate([y, y[extra]])


X, y = balance(X, y)
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.3, random_state=146)
X_train, X_val, y_train, y_val = (torch.as_tensor(a) for a in (X_train, X_val, y_train, y_val))

net = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2))
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.1)
for epoch in range(15):
    net.train()
    for rows in torch.randperm(len(X_train)).split(32):
        loss = nn.functional.cross_entropy(net(X_train[rows]), y_train[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        a, b = net(X_train), net(X_val)
    fmt = lambda z, t: f"{nn.functional.cross_entropy(z, t).item():.3f}/{(z.argmax(1) == t).float().mean().item():.3f}"
    if epoch % 2 == 0:
        print(f"epoch {epoch}: train {fmt(a, y_train)} validation {fmt(b, y_val)}")
