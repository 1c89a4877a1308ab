"""Diabetes table in which some blood values are missing, read through pandas."""
import numpy as np
import pandas as pd
import torch
from sklearn.datasets import load_diabetes
from torch import nn

torch.manual_seed(128)
rng = np.random.default_rng(128)
frame = load_diabetes(as_frame=True).frame
gaps = rng.random(len(frame)) < 0.08
frame.loc[gaps, "s5"] = np.nan
table = (frame - frame.mean()) / frame.std()
table = table.sample(frac=1, random_state=128).reset_index(drop=True)
values = torch.tensor(table.to_numpy(), dtype=torch.float32)
x, y = values[:, :-1], values[:, -1:]
print(pd.Series({"rows": len(table), "columns": table.shape[1]}).to_string())

net = nn.Sequential(nn.Linear(10, 12), nn.Tanh(), nn.Linear(12, 1))
adam = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-3)
for epoch in range(25):
    losses = []
    for rows in torch.randperm(350).split(35):
        adam.zero_grad()
        loss = nn.functional.mse_loss(net(x[rows]), y[rows])
        loss.backward()
        adam.step()
        losses.append(loss.item())
    with torch.no_grad():
        val = nn.functional.mse_loss(net(x[350:]), y[350:]).item()
    if epoch % 4 == 0:
        print(f"epoch {epoch}: train {np.mean(losses):.3f} validation {val:.3f}")
