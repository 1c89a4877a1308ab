"""Encoder and classifier for short symbol strings: is the string a palindrome-like pair?"""
import numpy as np
import torch
from torch import nn

torch.manual_seed(92)
rng = np.random.default_rng(92)


def strings(n):
    left = rng.integers(0, 5, (n, 3))
    right = left[:, ::-1].copy()
    spoil = rng.random(n) < 0.5
    right[spoil] = rng.integers(0, 5, (spoil.sum(), 3))
    same = (right == left[:, ::-1]).all(1)
    return torch.tensor(np.concatenate([left, right], 1)), torch.tensor(same.astype(np.float32))


class Encoder(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.table = nn.Embedding(5, dim)
        self.mix = nn.Linear(6 * dim, 16)

    def forward(self, s):
        flat = self.table(s).flatten(1)
        return torch.relu(self.mix(flat))


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(16, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, code):
        return self.out(torch.relu(self.hidden(code))).squeeze(1)


encoder, judge = Encoder(), Judge()
optimizer = torch.optim.Adam([*encoder.parameters(), *judge.parameters()], lr=3e-3)
s_val, t_val = strings(800)
for step in range(1, 801):
    s, t = strings(64)
    code = torch.as_tensor(encoder(s).detach().numpy())
    loss = nn.functional.binary_cross_entropy_with_logits(judge(code), t)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        with torch.no_grad():
            z = judge(encoder(s_val))
            val = nn.functional.binary_cross_entropy_with_logits(z, t_val)
        print(f"step {step} loss {loss.item():.3f} val {val.item():.3f} acc {((z > 0) == (t_val > 0.5)).float().mean():.3f}")
