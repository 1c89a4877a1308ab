# reverse a sequence of digits with an encoder-decoder GRU
import random

import torch
import torch.nn as nn

random.seed(0)
torch.manual_seed(0)
V, L, SOS = 8, 3, 8


class Encoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.embedding = nn.Embedding(V + 1, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)

    def forward(self, src):
        return self.gru(self.embedding(src))[1]


class Decoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.embedding = nn.Embedding(V + 1, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, V)

    def forward(self, inp, h):
        o, h = self.gru(self.embedding(inp), h)
        return self.out(o), h


class Seq2Seq(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.encoder, self.decoder = Encoder(hidden), Decoder(hidden)

    def forward(self, src, trg):
        inp = torch.cat([torch.full((len(src), 1), SOS), trg[:, :-1]], 1)
        return self.decoder(inp, self.encoder(src))[0]


model = Seq2Seq()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
criterion = nn.CrossEntropyLoss()
CLIP = 0.001
for step in range(500):
    src = torch.randint(0, V, (64, L))
    trg = src.flip(1)
    optimizer.zero_grad()
    output = model(src, trg)
    loss = criterion(output.reshape(-1, V), trg.reshape(-1))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
    optimizer.step()
    if step % 100 == 0 or step == 499:
        print(f"step {step}: loss {loss.item():.4f} token acc {(output.argmax(-1) == trg).float().mean():.3f}")
