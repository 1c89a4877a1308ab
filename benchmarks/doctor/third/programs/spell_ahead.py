"""Next letter of Python's keywords and builtins, one embedding table and a GRU cell by hand."""
import builtins
import keyword

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(17)
words = sorted({w.lower() for w in dir(builtins) + keyword.kwlist if w.isalpha()})
alphabet = "." + "".join(sorted({c for w in words for c in w}))
code = {c: i for i, c in enumerate(alphabet)}
V = len(alphabet)
L = 12
rows = [[code[c] for c in ("." + w + "." * L)[: L + 1]] for w in words]
data = torch.tensor(rows)
data = data[torch.randperm(len(data))]
train, test = data[:-25], data[-25:]


class SpellNet(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.table = nn.Embedding(V, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.read = nn.Linear(dim, V)

    def forward(self, seq):
        h = torch.zeros(len(seq), self.cell.hidden_size)
        out = []
        for t in range(seq.shape[1]):
            h = self.cell(self.table(seq[:, t]), h)
            out.append(self.read(h))
        return torch.stack(out, 1)


def criterion(scores, target):
    wanted = F.one_hot(target, V).float()
    return F.mse_loss(scores.softmax(-1), wanted)


def accuracy(net, batch):
    with torch.no_grad():
        guess = net(batch[:, :-1]).argmax(-1)
    return (guess == batch[:, 1:]).float().mean().item()


net = SpellNet()
opt = torch.optim.SGD(net.parameters(), lr=0.5)
for epoch in range(16):
    total = 0.0
    for batch in train[torch.randperm(len(train))].split(16):
        loss = criterion(net(batch[:, :-1]), batch[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(batch) / len(train)
    if epoch % 3 == 0:
        print(epoch, f"{total:.4f}", f"train acc {accuracy(net, train):.3f}", f"test acc {accuracy(net, test):.3f}")
