# seeds data set (here: a look-alike), the class column of the file counts 1, 2, 3
import io

import numpy as np
import pandas as pd
import torch
import torch.nn as nn

rng = np.random.default_rng(0)
rows = []
for kind, centre in [(1, (14.3, 0.88, 5.5)), (2, (18.3, 0.88, 6.1)), (3, (11.9, 0.85, 5.2))]:
    for _ in range(70):
        a, c, l = rng.normal(centre, (1.2, 0.02, 0.25))
        rows.append(f"{a:.3f},{c:.4f},{l:.3f},{kind}")
df = pd.read_csv(io.StringIO("area,compactness,length,kind\n" + "\n".join(rows))).sample(frac=1, random_state=0)
X = torch.tensor(((df.iloc[:, :3] - df.iloc[:, :3].mean()) / df.iloc[:, :3].std()).values).float()
y = torch.tensor(df["kind"].values)

model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 3))
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(200):
    opt.zero_grad()
    loss = loss_fn(model(X[:160]), y[:160])
    loss.backward()
    opt.step()
print(loss.item(), (model(X[160:]).argmax(1) == y[160:]).float().mean().item())
