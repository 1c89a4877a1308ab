# Disease progression from the scikit-learn frame, minimal pre-processing.
from dataclasses import dataclass, field

import torch
from sklearn.datasets import load_diabetes
from torch import nn


@dataclass
class Run:
    epochs: int = 40
    batch: int = 32
    lr: float = 5e-3
    seed: int = 147
    log: list = field(default_factory=list)


run = Run()
torch.manual_seed(run.seed)
frame = load_diabetes(as_frame=True).frame
frame = frame.sample(frac=1.0, random_state=run.seed)
frame = (frame - frame.mean()) / frame.std()
features = frame.columns
x = torch.tensor(frame[list(features)].values, dtype=torch.float32)
y = torch.tensor(frame["target"].values, dtype=torch.float32)
cut = 330
model = nn.Sequential(nn.Linear(len(features), 8), nn.Tanh(), nn.Linear(8, 1), nn.Flatten(0))
optimizer = torch.optim.SGD(model.parameters(), lr=run.lr, momentum=0.9, weight_decay=0.01)
for epoch in range(run.epochs):
    model.train()
    for rows in torch.randperm(cut).split(run.batch):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        run.log.append(tuple(nn.functional.mse_loss(model(x[s]), y[s]).item() for s in (slice(cut), slice(cut, None))))
for epoch in range(0, run.epochs, 6):
    print(f"epoch {epoch}: train %.4f validation %.4f" % run.log[epoch])
print("last: train %.4f validation %.4f" % run.log[-1])
