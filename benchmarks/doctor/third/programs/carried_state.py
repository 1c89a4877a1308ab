"""Truncated backpropagation through one long sequence: the next symbol of a noisy counter."""
import torch
from torch import nn

torch.manual_seed(176)
walk = torch.cumsum(torch.multinomial(torch.tensor([0.1, 0.8, 0.1]), 16 * 601, True), 0) % 7
walk = walk.view(16, 601)
held = torch.cumsum(torch.multinomial(torch.tensor([0.1, 0.8, 0.1]), 4 * 201, True), 0).view(4, 201) % 7


class Counter(nn.Module):
    def __init__(self, units=24):
        super().__init__()
        self.embed = nn.Embedding(7, units)
        self.gru = nn.GRU(units, units, batch_first=True)
        self.out = nn.Linear(units, 7)

    def forward(self, x, h):
        s, h = self.gru(self.embed(x), h)
        return self.out(s), h


model = Counter()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
for epoch in range(6):
    h = torch.zeros(1, 16, 24)
    for start in range(0, 600, 20):
        x, y = walk[:, start : start + 20], walk[:, start + 1 : start + 21]
        out, h = model(x, h)
        loss = nn.functional.cross_entropy(out.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        out, _ = model(held[:, :-1], torch.zeros(1, 4, 24))
        val = nn.functional.cross_entropy(out.flatten(0, 1), held[:, 1:].flatten()).item()
    print(f"epoch {epoch}: {loss.item():.3f} held out {val:.3f}")
