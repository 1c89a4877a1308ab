"""Is the first token a large one? nn.TransformerEncoder, a class token, Adam with warm-up."""

import torch
from torch import nn

torch.manual_seed(19)
VOCAB, LENGTH = 30, 10
tokens = torch.randint(1, VOCAB, (2000, LENGTH))
labels = (tokens[:, 0] > VOCAB // 2).long()


class Judge(nn.Module):
    def __init__(self, d_model=32, nhead=4):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, d_model)
        self.pos = nn.Parameter(torch.randn(1, LENGTH, d_model) * 0.1)
        layer = nn.TransformerEncoderLayer(
            d_model, nhead, dim_feedforward=64, dropout=0.1, batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.out = nn.Linear(d_model, 2)

    def forward(self, t):
        h = self.encoder(self.embed(t) + self.pos)
        return self.out(h.mean(dim=1))


judge = Judge()
opt = torch.optim.Adam(judge.parameters(), lr=2e-3)
warmup = torch.optim.lr_scheduler.LinearLR(opt, start_factor=0.1, total_iters=30)
criterion = nn.CrossEntropyLoss()
for step in range(240):
    pick = torch.randint(0, 1600, (50,))
    judge.train()
    logits = judge(tokens[pick])
    loss = criterion(logits, labels[pick])
    opt.zero_grad()
    loss.backward()
    opt.step()
    warmup.step()
    if step % 80 == 79:
        judge.eval()
        with torch.no_grad():
            valid = judge(tokens[1600:])
            acc = (valid.argmax(-1) == labels[1600:]).float().mean()
            print(step, loss.item(), criterion(valid, labels[1600:]).item(), acc.item())
