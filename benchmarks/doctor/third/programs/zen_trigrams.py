# A trigram character model of the Zen of Python, in the spirit of Bengio et al. 2003.
import codecs
import contextlib
import io

import torch
import torch.nn as nn

with contextlib.redirect_stdout(io.StringIO()):
    import this

text = codecs.decode(this.s, "rot13").lower()
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])

K = 4
X = torch.stack([data[i : i + K] for i in range(len(data) - K)])
Y = data[K:]
g = torch.Generator().manual_seed(2024)
perm = torch.randperm(len(X), generator=g)
n = int(0.9 * len(X))
Xtr, Ytr, Xva, Yva = X[perm[:n]], Y[perm[:n]], X[perm[n:]], Y[perm[n:]]


class NPLM(nn.Module):
    def __init__(self, vocab, emb=8, hidden=32):
        super().__init__()
        self.C = nn.Embedding(vocab, emb)
        self.hid = nn.Linear(K * emb, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, ctx):
        e = self.C(ctx).flatten(1)
        h = torch.tanh(self.hid(e))
        return self.out(h)


torch.manual_seed(2024)
model = NPLM(len(chars))
loss_fn = nn.NLLLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(401):
    ix = torch.randint(0, n, (64,), generator=g)
    loss = loss_fn(model(Xtr[ix]), Ytr[ix])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        with torch.no_grad():
            va = model(Xva)
            print(step, f"train {loss.item():.3f} val {loss_fn(va, Yva).item():.3f} top1 {(va.argmax(1) == Yva).float().mean():.3f}")
