"""Connectionist temporal classification: pulses of unknown length to a row of symbols."""
import torch
from torch import nn

torch.manual_seed(225)
SYMBOLS, FRAMES = 5, 24


def signals(n):
    lengths = torch.randint(2, 5, (n,))
    targets = torch.randint(1, SYMBOLS + 1, (n, 4))
    frames = torch.zeros(n, FRAMES, SYMBOLS)
    for i in range(n):
        at = int(torch.randint(0, 3, (1,)))
        for k in range(int(lengths[i])):
            hold = int(torch.randint(2, 4, (1,)))
            frames[i, at : at + hold, targets[i, k] - 1] = 1.0
            at += hold + int(torch.randint(1, 3, (1,)))
    return frames + 0.2 * torch.randn_like(frames), targets, lengths


class Recogniser(nn.Module):
    def __init__(self, units=32):
        super().__init__()
        self.rnn = nn.GRU(SYMBOLS, units, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * units, SYMBOLS + 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0]).log_softmax(-1)


def decode(log_probs):
    best = log_probs.argmax(-1)
    rows = []
    for path in best.tolist():
        row = [s for i, s in enumerate(path) if s and (i == 0 or path[i - 1] != s)]
        rows.append(row)
    return rows


x, t, n = signals(800)
xv, tv, nv = signals(200)
model = Recogniser()
ctc = nn.CTCLoss(blank=0, zero_infinity=True)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(10):
    total = 0.0
    for rows in torch.randperm(800).split(40):
        log_probs = model(x[rows]).transpose(0, 1)
        loss = ctc(log_probs, t[rows], torch.full((len(rows),), FRAMES), n[rows])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        total += loss.item() / 20
    with torch.no_grad():
        said = decode(model(xv))
    right = sum(row == tv[i, : nv[i]].tolist() for i, row in enumerate(said)) / 200
    print(f"epoch {epoch}: ctc {total:.3f} whole sequences right {right:.3f}")
