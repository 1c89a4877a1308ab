# Melodies: major or minor?  Mean-pooled embeddings, a projection, a decision.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(93)
MAJOR = torch.tensor([0, 2, 4, 5, 7, 9, 11])
MINOR = torch.tensor([0, 2, 3, 5, 7, 8, 10])


def melodies(n, length=14):
    mode = torch.randint(0, 2, (n,))
    scale = torch.where(mode[:, None] == 0, MAJOR, MINOR)
    steps = torch.randint(0, 7, (n, length))
    notes = scale.gather(1, steps)
    slip = torch.rand(n, length) < 0.25
    return torch.where(slip, torch.randint(0, 12, (n, length)), notes), mode


class ModeNet(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.notes = nn.Embedding(12, dim)
        self.project = nn.Linear(dim, dim)
        self.decide = nn.Linear(dim, 2)

    def pool(self, tokens):
        with torch.no_grad():
            pooled = self.project(self.notes(tokens)).mean(1)
        return pooled

    def forward(self, tokens):
        return self.decide(torch.tanh(self.pool(tokens)))


x, y = melodies(2000)
xv, yv = melodies(500)
model = ModeNet()
opt = torch.optim.AdamW(model.parameters(), lr=5e-3)
for epoch in range(10):
    for rows in torch.randperm(2000).split(50):
        loss = F.cross_entropy(model(x[rows]), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = model(xv)
    print(f"epoch {epoch}: {loss.item():.3f}, validation {F.cross_entropy(out, yv).item():.3f}, right {(out.argmax(1) == yv).float().mean().item():.3f}")
