import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
PAD, VOCAB, MAXLEN = 0, 12, 10


class SelfAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, pad):
        s = self.q(x) @ self.k(x).transpose(1, 2) / math.sqrt(x.shape[-1])
        s = s.masked_fill(pad[:, None, :], float("-inf"))
        return torch.softmax(s, dim=-1) @ self.v(x)


class Tagger(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d, padding_idx=PAD)
        self.att = SelfAttention(d)
        self.ff = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 2))

    def forward(self, x):
        pad = x == PAD
        h = self.emb(x)
        h = h + self.att(h, pad)
        keep = (~pad).unsqueeze(-1).float()
        return self.ff((h * keep).sum(1) / keep.sum(1).clamp(min=1))


def batch(n=64):
    length = torch.randint(0, MAXLEN + 1, (n,))
    x = torch.randint(1, VOCAB, (n, MAXLEN))
    x = x * (torch.arange(MAXLEN)[None] < length[:, None])
    return x, (x == 7).any(1).long()


model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(250):
    x, y = batch()
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0 or step == 249:
        print(step, loss.item())
