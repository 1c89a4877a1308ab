"""A tiny language model of the Zen of Python; two pre-norm blocks, characters as tokens."""
import codecs
import contextlib
import io
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

with contextlib.redirect_stdout(io.StringIO()):
    import this


@dataclass
class Config:
    context: int = 24
    dim: int = 48
    heads: int = 4
    layers: int = 2
    steps: int = 300
    batch: int = 24
    lr: float = 3e-3


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c.heads
        self.n1, self.n2 = nn.LayerNorm(c.dim), nn.LayerNorm(c.dim)
        self.qkv, self.proj = nn.Linear(c.dim, 3 * c.dim), nn.Linear(c.dim, c.dim)
        self.mlp = nn.Sequential(nn.Linear(c.dim, 2 * c.dim), nn.GELU(), nn.Linear(2 * c.dim, c.dim))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.qkv(self.n1(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.n2(x))


class LM(nn.Module):
    def __init__(self, vocab, c):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, c.dim), nn.Embedding(c.context, c.dim)
        self.blocks = nn.Sequential(*(Block(c) for _ in range(c.layers)))
        self.norm, self.head = nn.LayerNorm(c.dim), nn.Linear(c.dim, vocab)

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.tok(ids) + self.pos(torch.arange(ids.shape[1])))))


c = Config()
torch.manual_seed(122)
text = codecs.decode(this.s, "rot13")
vocab = sorted(set(text))
ids = torch.tensor([vocab.index(ch) for ch in text])
train, held = ids[:720], ids[720:]


def windows(source, n):
    at = torch.randint(0, len(source) - c.context - 1, (n,))
    block = torch.stack([source[i : i + c.context + 1] for i in at])
    return block[:, :-1], block[:, 1:]


model = LM(len(vocab), c)
optimizer = torch.optim.AdamW(model.parameters(), lr=c.lr, weight_decay=0.1)
for step in range(1, c.steps + 1):
    x, y = windows(train, c.batch)
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        with torch.no_grad():
            xv, yv = windows(held, 64)
            print(f"step {step}: {loss.item():.3f}, held out {F.cross_entropy(model(xv).flatten(0, 1), yv.flatten()).item():.3f}")
sample = train[:8][None]
for _ in range(40):
    with torch.no_grad():
        sample = torch.cat([sample, model(sample[:, -c.context :])[:, -1].argmax(-1, keepdim=True)], 1)
print("".join(vocab[i] for i in sample[0]).replace("\n", "/"))
