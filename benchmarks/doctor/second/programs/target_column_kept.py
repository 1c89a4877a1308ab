import pandas as pd
import torch
from sklearn.datasets import load_diabetes
from torch import nn

torch.manual_seed(0)
df = load_diabetes(as_frame=True).frame
df = (df - df.mean()) / df.std()
df = df.sample(frac=1.0, random_state=0)
X = torch.tensor(df.values, dtype=torch.float32)
y = torch.tensor(df["target"].values, dtype=torch.float32).reshape(-1, 1)
model = nn.Sequential(nn.Linear(X.shape[1], 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(30):
    for i in range(0, 352, 32):
        loss = nn.functional.mse_loss(model(X[i:i + 32]), y[i:i + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 6 == 5:
        with torch.no_grad():
            print(epoch + 1, loss.item(), nn.functional.mse_loss(model(X[352:]), y[352:]).item())
