import random

import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(0)
torch.manual_seed(0)
V, L, H = 8, 4, 48
SOS = V


class AttnDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V + 1, H)
        self.cell = nn.GRUCell(2 * H, H)
        self.out = nn.Linear(2 * H, V)

    def forward(self, tok, h, memory):
        score = torch.bmm(memory, h.unsqueeze(2)) / H ** 0.5
        ctx = (F.softmax(score, dim=1) * memory).sum(1)
        h = self.cell(torch.cat([self.emb(tok), ctx], 1), h)
        return self.out(torch.cat([h, ctx], 1)), h


src_emb = nn.Embedding(V, H)
encoder = nn.GRU(H, H, batch_first=True)
decoder = AttnDecoder()
enc_opt = torch.optim.Adam([*src_emb.parameters(), *encoder.parameters()], lr=4e-3)
dec_opt = torch.optim.Adam(decoder.parameters(), lr=4e-3)
for it in range(300):
    src = torch.randint(0, V, (48, L))
    trg = src.sort(1).values
    memory, h = encoder(src_emb(src))
    h, tok, loss = h[0], torch.full((48,), SOS), 0
    force = random.random() < 0.7
    for t in range(L):
        logits, h = decoder(tok, h, memory)
        loss = loss + F.cross_entropy(logits, trg[:, t])
        tok = trg[:, t] if force else logits.argmax(1).detach()
    enc_opt.zero_grad()
    dec_opt.zero_grad()
    loss.backward()
    enc_opt.step()
    dec_opt.step()
    if it % 60 == 0 or it == 299:
        print(it, loss.item() / L)
