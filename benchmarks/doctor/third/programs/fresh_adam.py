"""Two interleaved spirals; every batch goes through `train_batch`."""
import math

import torch
import torch.nn.functional as F


def spirals(n, g):
    r = torch.rand(n, generator=g).sqrt()
    side = torch.randint(0, 2, (n,), generator=g)
    angle = r * 2.2 * math.pi + side * math.pi
    xy = torch.stack([r * angle.cos(), r * angle.sin()], 1)
    return 2 * xy + 0.04 * torch.randn(n, 2, generator=g), side


def make_net():
    return torch.nn.Sequential(
        torch.nn.Linear(2, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2)
    )


def train_batch(net, state, x, y):
    state["optimizer"] = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.95)
    loss = F.cross_entropy(net(x), y)
    state["optimizer"].zero_grad()
    loss.backward()
    state["optimizer"].step()
    return loss.item()


def main():
    torch.manual_seed(9)
    g = torch.Generator().manual_seed(9)
    x, y = spirals(1200, g)
    x_val, y_val = spirals(300, g)
    net, state = make_net(), {}
    for epoch in range(30):
        losses = [train_batch(net, state, x[rows], y[rows]) for rows in torch.randperm(1200, generator=g).split(40)]
        if epoch % 5 == 4:
            with torch.no_grad():
                acc = (net(x_val).argmax(1) == y_val).float().mean().item()
            print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f} validation accuracy {acc:.3f}")


main()
