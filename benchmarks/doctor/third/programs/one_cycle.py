"""Super-convergence in miniature: one cycle up and down to (almost) zero."""
from dataclasses import dataclass

import torch
from sklearn.datasets import make_friedman1
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    epochs: int = 15
    batch: int = 40
    peak: float = 0.2
    seed: int = 201


def main(cfg: Config) -> None:
    torch.manual_seed(cfg.seed)
    x, y = make_friedman1(2000, n_features=6, noise=0.5, random_state=cfg.seed)
    x = torch.tensor(2 * x - 1, dtype=torch.float32)
    y = torch.tensor((y - y.mean()) / y.std(), dtype=torch.float32)
    train = DataLoader(TensorDataset(x[:1600], y[:1600]), batch_size=cfg.batch, shuffle=True)
    net = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    cycle = OneCycleLR(optimizer, max_lr=cfg.peak, epochs=cfg.epochs, steps_per_epoch=len(train), final_div_factor=1e5)
    for epoch in range(cfg.epochs):
        net.train()
        for xb, yb in train:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(xb), yb)
            loss.backward()
            optimizer.step()
            cycle.step()
        net.eval()
        with torch.no_grad():
            val = nn.functional.mse_loss(net(x[1600:]), y[1600:]).item()
        if epoch % 2 == 0:
            print(f"epoch {epoch}: rate {cycle.get_last_lr()[0]:.2e} train {loss.item():.4f} val {val:.4f}")


main(Config())
