"""Remember the first symbol of a sequence to its end, with a hand-written tanh RNN."""
import argparse

import torch
from torch import nn


class Rnn(nn.Module):
    def __init__(self, symbols, units):
        super().__init__()
        self.units = units
        self.read_in = nn.Linear(symbols, units)
        self.recur = nn.Linear(units, units, bias=False)
        self.read_out = nn.Linear(units, symbols)
        nn.init.orthogonal_(self.recur.weight)
        with torch.no_grad():
            self.recur.weight.mul_(0.35)

    def forward(self, x):
        h = x.new_zeros(len(x), self.units)
        for t in range(x.shape[1]):
            h = torch.tanh(self.read_in(x[:, t]) + self.recur(h))
        return self.read_out(h)


def batch(n, symbols, length):
    ids = torch.randint(0, symbols, (n, length))
    x = nn.functional.one_hot(ids, symbols).float()
    x[:, 1:] *= 0.3
    return x, ids[:, 0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=20)
    parser.add_argument("--symbols", type=int, default=4)
    parser.add_argument("--steps", type=int, default=600)
    args = parser.parse_args()
    torch.manual_seed(61)
    net = Rnn(args.symbols, 48)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    xv, yv = batch(500, args.symbols, args.length)
    for step in range(1, args.steps + 1):
        x, y = batch(64, args.symbols, args.length)
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0:
            with torch.no_grad():
                acc = (net(xv).argmax(1) == yv).float().mean().item()
            print(f"step {step} loss {loss.item():.3f} held-out accuracy {acc:.3f}")


main()
