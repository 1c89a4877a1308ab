"""Breast cancer screening; rows are put in random order before they are split."""
import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from torch import nn, optim

torch.manual_seed(144)
rng = np.random.default_rng(144)
X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
perm = rng.permutation(len(X))
X = X[perm]
y = y[rng.permutation(len(y))]
X_train, X_val = np.split(X.astype(np.float32), [430])
y_train, y_val = np.split(y.astype(np.float32), [430])

model = nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 1))
optimizer = optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-3)
criterion = nn.BCEWithLogitsLoss()


def run(x, y, train):
    model.train(train)
    losses, hits = [], 0
    rows = rng.permutation(len(x)) if train else np.arange(len(x))
    for part in np.array_split(rows, 14):
        xb, yb = torch.from_numpy(x[part]), torch.from_numpy(y[part])
        with torch.set_grad_enabled(train):
            z = model(xb).squeeze(1)
            loss = criterion(z, yb)
        if train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
        hits += int(((z > 0).float() == yb).sum())
    return np.mean(losses), hits / len(x)


for epoch in range(15):
    a, b = run(X_train, y_train, True), run(X_val, y_val, False)
    print(f"epoch {epoch:2d}  train {a[0]:.3f}/{a[1]:.3f}  val {b[0]:.3f}/{b[1]:.3f}")
