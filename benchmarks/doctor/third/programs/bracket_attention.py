"""Which bracket closes the sequence's first one?  A one-block Transformer with learnt positions."""
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Hparams:
    length: int = 16
    vocab: int = 6
    dim: int = 32
    heads: int = 4
    lr: float = 0.3
    steps: int = 350
    seed: int = 13


class Block(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.token = nn.Embedding(hp.vocab, hp.dim)
        self.place = nn.Parameter(0.02 * torch.randn(hp.length, hp.dim))
        self.norm1, self.norm2 = nn.LayerNorm(hp.dim), nn.LayerNorm(hp.dim)
        self.attention = nn.MultiheadAttention(hp.dim, hp.heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(hp.dim, 64), nn.GELU(), nn.Linear(64, hp.dim))
        self.head = nn.Linear(hp.dim, 3)

    def forward(self, tokens):
        h = self.token(tokens) + self.place
        n = self.norm1(h)
        h = h + self.attention(n, n, n, need_weights=False)[0]
        h = h + self.mlp(self.norm2(h))
        return self.head(h.mean(1))


def batch(n, hp, g):
    tokens = torch.randint(0, hp.vocab, (n, hp.length), generator=g)
    counts = torch.stack([(tokens == k).sum(1) for k in range(3)], 1)
    return tokens, (counts + torch.tensor([0.2, 0.1, 0.0])).argmax(1)


hp = Hparams()
torch.manual_seed(hp.seed)
g = torch.Generator().manual_seed(hp.seed)
model = Block(hp)
optimizer = torch.optim.Adam(model.parameters(), lr=hp.lr)
xv, yv = batch(500, hp, g)
for step in range(hp.steps):
    x, y = batch(64, hp, g)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 50 == 49:
        with torch.no_grad():
            z = model(xv)
        print(step + 1, f"loss {loss.item():.3f} val {nn.functional.cross_entropy(z, yv).item():.3f} acc {(z.argmax(1) == yv).float().mean():.3f}")
