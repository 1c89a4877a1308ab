"""A causal Transformer that learns the next character of arithmetic."""

import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(4)
numbers = torch.randint(0, 50, (4000, 2)).tolist()
text = " ".join(f"{a}+{b}={a + b};" for a, b in numbers)
letters = sorted(set(text))
codes = torch.tensor([letters.index(c) for c in text])
cut = int(0.9 * len(codes))
CONTEXT = 32


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.project = nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (
            self.qkv(self.norm1(x))
            .view(b, t, 3, self.heads, d // self.heads)
            .permute(2, 0, 3, 1, 4)
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // self.heads)
        future = torch.ones(t, t, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d)
        x = x + self.project(mixed)
        return x + self.mlp(self.norm2(x))


class LanguageModel(nn.Module):
    def __init__(self, vocab, dim=48, layers=2, heads=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.position = nn.Embedding(CONTEXT, dim)
        self.blocks = nn.ModuleList([Block(dim, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, tokens):
        x = self.embed(tokens) + self.position(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def draw(start, stop, size=24):
    at = torch.randint(start, stop - CONTEXT - 1, (size,))
    rows = torch.stack([codes[k : k + CONTEXT + 1] for k in at])
    return rows[:, :-1], rows[:, 1:]


model = LanguageModel(len(letters))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(150):
    tokens, targets = draw(0, cut)
    logits = model(tokens)
    loss = F.cross_entropy(logits.reshape(-1, len(letters)), targets.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 49:
        model.eval()
        with torch.no_grad():
            tokens, targets = draw(cut, len(codes))
            valid = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
        model.train()
        print(step, round(loss.item(), 3), round(valid.item(), 3))
