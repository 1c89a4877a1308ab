"""Pinball loss: tenth, fiftieth and ninetieth percentile of the waiting time at once."""
import argparse

import torch
from torch import Tensor, nn

LEVELS = torch.tensor([0.1, 0.5, 0.9])


def pinball(prediction: Tensor, target: Tensor) -> Tensor:
    error = target.unsqueeze(1) - prediction
    return torch.maximum(LEVELS * error, (LEVELS - 1) * error).mean()


def waiting(n: int) -> tuple[Tensor, Tensor]:
    x = torch.rand(n, 3) * 2 - 1
    scale = torch.exp(0.8 * x[:, 0] - 0.5 * x[:, 1] * x[:, 2])
    return x, torch.distributions.Exponential(1 / scale).sample().log1p()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--lr", type=float, default=3e-3)
    options = parser.parse_args()
    torch.manual_seed(224)
    x, y = waiting(3000)
    xv, yv = waiting(1000)
    net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=options.lr)
    constant = pinball(torch.quantile(y, LEVELS).expand(1000, 3), yv).item()
    for epoch in range(options.epochs):
        for rows in torch.randperm(3000).split(60):
            loss = pinball(net(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            p = net(xv)
        share = (yv.unsqueeze(1) < p).float().mean(0)
        if epoch % 2 == 0:
            print(f"epoch {epoch}: validation {pinball(p, yv).item():.4f} (constant {constant:.4f}) below:", *(f"{s:.3f}" for s in share))


if __name__ == "__main__":
    main()
