import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

LEARNING_RATE = 1e-6
rng = np.random.RandomState(0)
n = 1000
df = pd.DataFrame({
    "pclass": rng.choice([1, 2, 3], n, p=[0.25, 0.2, 0.55]),
    "sex": rng.choice(["male", "female"], n, p=[0.65, 0.35]),
    "age": rng.normal(30, 13, n).clip(1, 80),
    "fare": rng.lognormal(3, 0.9, n),
})
logit = 2.6 * (df.sex == "female") - 0.9 * (df.pclass - 2) - 0.03 * (df.age - 30) - 0.9
df["survived"] = (rng.rand(n) < 1 / (1 + np.exp(-logit))).astype(int)
df["fare"] = np.log1p(df["fare"])
features = pd.get_dummies(df.drop(columns="survived"), columns=["sex", "pclass"]).astype("float32")
for col in ("age", "fare"):
    features[col] = (features[col] - features[col].mean()) / features[col].std()
torch.manual_seed(0)
X, y = torch.tensor(features.values), torch.tensor(df["survived"].values)
train = TensorDataset(X[:800], y[:800])
model = nn.Sequential(nn.Linear(X.shape[1], 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
criterion = nn.CrossEntropyLoss()
for epoch in range(20):
    for xb, yb in DataLoader(train, batch_size=40, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
    if epoch % 4 == 0:
        print(f"{epoch}: {criterion(model(X[:800]), y[:800]).item():.4f}")
print("test", criterion(model(X[800:]), y[800:]).item(), (model(X[800:]).argmax(1) == y[800:]).float().mean().item())
