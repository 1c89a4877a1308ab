import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(1)
n = 900
homes = pd.DataFrame({
    "rooms": rng.integers(1, 8, n).astype(float),
    "age": rng.uniform(0, 90, n),
    "distance": rng.exponential(6, n),
    "garden": rng.normal(120, 60, n),
})
price = 40 * homes.rooms - 0.8 * homes.age - 6 * homes.distance + 0.3 * homes.garden + rng.normal(0, 15, n)
homes.loc[rng.choice(n, 25, replace=False), "garden"] = np.nan
y = (price - price.mean()) / price.std()
x = (homes - homes.mean()) / homes.std()
torch.manual_seed(0)
x = torch.tensor(x.values, dtype=torch.float32)
y = torch.tensor(y.values, dtype=torch.float32).unsqueeze(1)
train = DataLoader(TensorDataset(x[:700], y[:700]), batch_size=50, shuffle=True)
model = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
for epoch in range(20):
    running = 0.0
    for xb, yb in train:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        opt.step()
        running += loss.item()
    if epoch % 4 == 0 or epoch == 19:
        print(f"{epoch:2d} {running / len(train):.4f}")
