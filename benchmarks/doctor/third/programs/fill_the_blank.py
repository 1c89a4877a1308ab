"""A masked language model over a toy grammar; 15 % of the tokens hidden, only they count."""
from dataclasses import dataclass

import torch
from torch import nn

WORDS = "[pad] [mask] the a dog cat bird man sees likes hears sleeps runs big small red".split()
CODE = {w: i for i, w in enumerate(WORDS)}


@dataclass
class Config:
    dim: int = 32
    steps: int = 400
    batch: int = 48
    lr: float = 4e-3
    hide: float = 0.15


def sentence(g):
    pick = lambda *options: options[torch.randint(len(options), (1,), generator=g).item()]
    noun = lambda: pick(*(("the", a, n) if (a := pick("big", "small", "red")) and pick(0, 1) else ("the", n) for n in ("dog", "cat", "bird", "man")))
    words = [*noun(), pick("sees", "likes", "hears"), *noun()] if pick(0, 1) else [*noun(), pick("sleeps", "runs")]
    return [CODE[w] for w in words] + [0] * (8 - len(words))


class Masked(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.word = nn.Embedding(len(WORDS), c.dim, padding_idx=0)
        self.place = nn.Parameter(0.02 * torch.randn(8, c.dim))
        layer = nn.TransformerEncoderLayer(c.dim, 4, 64, dropout=0.1, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(c.dim, len(WORDS))

    def forward(self, ids):
        return self.out(self.body(self.word(ids) + self.place, src_key_padding_mask=ids == 0))


def hide(ids, share, g):
    chosen = (torch.rand(ids.shape, generator=g) < share) & (ids > 0)
    chosen[:, 1] |= ~chosen.any(1)
    return ids.masked_fill(chosen, CODE["[mask]"]), ids.masked_fill(~chosen, -100)


c = Config()
torch.manual_seed(220)
g = torch.Generator().manual_seed(220)
corpus = torch.tensor([sentence(g) for _ in range(1500)])
val_x, val_y = hide(torch.tensor([sentence(g) for _ in range(300)]), c.hide, g)
model = Masked(c)
optimizer = torch.optim.AdamW(model.parameters(), lr=c.lr)
loss_fn = nn.CrossEntropyLoss(ignore_index=-100)
for step in range(1, c.steps + 1):
    model.train()
    x, y = hide(corpus[torch.randint(0, 1500, (c.batch,), generator=g)], c.hide, g)
    loss = loss_fn(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        model.eval()
        with torch.no_grad():
            z = model(val_x)
        seen = val_y >= 0
        print(f"step {step}: {loss.item():.3f} validation {loss_fn(z.flatten(0, 1), val_y.flatten()).item():.3f} right {(z.argmax(-1)[seen] == val_y[seen]).float().mean():.3f}")
