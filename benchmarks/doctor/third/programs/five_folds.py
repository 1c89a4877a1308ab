"""Five-fold cross-validation of a small network on the wine data."""
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

torch.manual_seed(8)
X, y = load_wine(return_X_y=True)


def build():
    return nn.Sequential(nn.Linear(13, 20), nn.ReLU(), nn.Linear(20, 3))


template = build()
optimizer = torch.optim.Adam(template.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
scores = []

for fold, (a, b) in enumerate(StratifiedKFold(5, shuffle=True, random_state=8).split(X, y)):
    scaler = StandardScaler().fit(X[a])
    xa, xb = (torch.tensor(scaler.transform(X[i]), dtype=torch.float32) for i in (a, b))
    ya, yb = torch.tensor(y[a]), torch.tensor(y[b])
    model = build()
    for epoch in range(20):
        model.train()
        for rows in torch.randperm(len(xa)).split(16):
            loss = criterion(model(xa[rows]), ya[rows])
            model.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        scores.append((model(xb).argmax(1) == yb).float().mean().item())
    print(f"fold {fold}: last loss {loss.item():.3f}, accuracy {scores[-1]:.3f}")

print("mean accuracy", np.mean(scores).round(3))
