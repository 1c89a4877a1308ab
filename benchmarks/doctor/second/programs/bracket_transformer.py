"""Are the brackets balanced? A tiny transformer encoder on generated strings."""
import argparse
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=250)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--d-model", type=int, default=32)
parser.add_argument("--lr", type=float, default=2e-3)
args = parser.parse_args()
random.seed(0)
torch.manual_seed(0)
L = 12


def sample():
    if random.random() < 0.5:
        s, depth = [], 0
        while len(s) < L:
            left = L - len(s)
            if depth == 0 or (depth < left and random.random() < 0.5):
                s.append(1)
                depth += 1
            else:
                s.append(2)
                depth -= 1
    else:
        s = [random.choice([1, 2]) for _ in range(L)]
    depth, ok = 0, True
    for c in s:
        depth += 1 if c == 1 else -1
        ok = ok and depth >= 0
    return s, int(ok and depth == 0)


def get_batch(n):
    xs, ys = zip(*[sample() for _ in range(n)])
    return torch.tensor(xs), torch.tensor(ys)


class Classifier(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(3, d)
        pos = torch.arange(L).unsqueeze(1) * torch.exp(-math.log(1e4) * torch.arange(0, d, 2) / d)
        self.register_buffer("pe", torch.stack([pos.sin(), pos.cos()], -1).view(L, d))
        layer = nn.TransformerEncoderLayer(d, 4, 4 * d, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(d, 2)

    def forward(self, x):
        h = self.enc(self.emb(x) + self.pe)
        return self.out(h.mean(1))


net = Classifier(args.d_model)
opt = torch.optim.AdamW(net.parameters(), lr=args.lr)
for step in range(args.steps):
    x, y = get_batch(args.batch)
    logits = net(x)
    probs = F.softmax(logits, dim=-1)
    loss = F.cross_entropy(probs.view(-1, 2), y.view(-1))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    if step % 50 == 0:
        acc = (probs.argmax(-1) == y).float().mean()
        print(step, round(loss.item(), 4), round(acc.item(), 3))
net.eval()
with torch.inference_mode():
    x, y = get_batch(512)
    logits = net(x)
    print("final", F.cross_entropy(logits, y).item(), (logits.argmax(-1) == y).float().mean().item())
