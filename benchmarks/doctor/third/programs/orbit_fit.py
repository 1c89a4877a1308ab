"""Predict the next position of a body on an ellipse from two earlier ones (units: astronomical)."""
import math

import torch


def make_orbits(n, g):
    a = 1.5 + 2.5 * torch.rand(n, 1, generator=g)
    b = a * (0.6 + 0.4 * torch.rand(n, 1, generator=g))
    phase = 2 * math.pi * torch.rand(n, 1, generator=g)
    at = lambda k: torch.cat([a * torch.cos(phase + 0.4 * k), b * torch.sin(phase + 0.4 * k)], 1)
    return torch.cat([at(0), at(1)], 1), at(2)


class Predictor:
    def __init__(self, seed):
        torch.manual_seed(seed)
        self.net = torch.nn.Sequential(
            torch.nn.Linear(4, 64),
            torch.nn.Tanh(),
            torch.nn.Linear(64, 64),
            torch.nn.Tanh(),
            torch.nn.Linear(64, 2),
            torch.nn.Tanh(),
        )
        self.optimizer = torch.optim.Adam(self.net.parameters(), 2e-3)
        self.log = []

    def fit(self, x, y, epochs, batch=100):
        for _ in range(epochs):
            total = 0.0
            for rows in torch.randperm(len(x)).split(batch):
                error = (self.net(x[rows]) - y[rows]).square().mean()
                self.optimizer.zero_grad()
                error.backward()
                self.optimizer.step()
                total += error.item() * len(rows) / len(x)
            self.log.append(total)

    @torch.no_grad()
    def score(self, x, y):
        return (self.net(x) - y).square().mean().item()


if __name__ == "__main__":
    g = torch.Generator().manual_seed(8)
    x, y = make_orbits(2000, g)
    x_val, y_val = make_orbits(400, g)
    p = Predictor(8)
    p.fit(x, y, 25)
    print("variance of the targets", y.var().item())
    print("training error", [round(v, 4) for v in p.log[::4]], "->", round(p.log[-1], 5))
    print("validation error", round(p.score(x_val, y_val), 5))
