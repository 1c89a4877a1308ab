"""Learn the *distribution* of five annotators' votes instead of one hard label.

The votes are simulated from a noisy view of the wine data.
"""
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from torch import nn


@dataclass
class Config:
    seed: int = 5
    lr: float = 1e-2
    epochs: int = 40
    batch: int = 32
    annotators: int = 5


cfg = Config()
torch.manual_seed(cfg.seed)
rng = np.random.default_rng(cfg.seed)
bunch = load_wine()
order = rng.permutation(len(bunch.target))
features, truth = bunch.data[order], bunch.target[order]
cut = 134
scaler = StandardScaler().fit(features[:cut])
x = torch.tensor(scaler.transform(features), dtype=torch.float32)
votes = np.full((len(truth), 3), 0.2)
for _ in range(cfg.annotators):
    said = np.where(rng.random(len(truth)) < 0.85, truth, rng.integers(0, 3, len(truth)))
    votes[np.arange(len(truth)), said] += 1
q = torch.tensor(votes / votes.sum(1, keepdims=True), dtype=torch.float32)

student = nn.Sequential(nn.Linear(13, 16), nn.GELU(), nn.Linear(16, 3))
kl = nn.KLDivLoss(reduction="batchmean")
optimizer = torch.optim.AdamW(student.parameters(), lr=cfg.lr)

for epoch in range(cfg.epochs):
    for rows in torch.randperm(cut).split(cfg.batch):
        scores = student(x[rows])
        loss = kl(scores, q[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        with torch.no_grad():
            test = torch.softmax(student(x[cut:]), 1)
            gap = (test - q[cut:]).abs().sum(1).mean().item() / 2
            right = (test.argmax(1).numpy() == truth[cut:]).mean()
        print(f"epoch {epoch + 1:3d}  loss {loss.item():9.4f}  total variation {gap:.3f}  accuracy {right:.3f}")
