"""SimCLR on the digits with shifts and noise as views; a linear probe tells what it learnt."""
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from torch import nn

torch.manual_seed(206)
raw = load_digits()
x = torch.tensor(raw.images[:, None] / 16, dtype=torch.float32)
p = torch.randperm(len(x))
x, y = x[p], raw.target[p.numpy()]


def view(batch):
    dx, dy = torch.randint(-1, 2, (2,)).tolist()
    return torch.roll(batch, (dx, dy), (2, 3)) + 0.1 * torch.randn_like(batch)


def nt_xent(a, b, temperature=0.3):
    z = F.normalize(torch.cat([a, b]), dim=1)
    similar = z @ z.T / temperature
    similar.fill_diagonal_(-1e9)
    n = len(a)
    partner = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(similar, partner)


encoder = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 32))
projector = nn.Sequential(nn.ReLU(), nn.Linear(32, 16))
optimizer = torch.optim.AdamW([*encoder.parameters(), *projector.parameters()], lr=2e-3)


def probe():
    with torch.no_grad():
        h = encoder(x).numpy()
    return LogisticRegression(max_iter=400).fit(h[:300], y[:300]).score(h[1400:], y[1400:])


print("probe before", round(probe(), 3))
for epoch in range(10):
    losses = []
    for rows in torch.randperm(1400).split(140):
        loss = nt_xent(projector(encoder(view(x[rows]))), projector(encoder(view(x[rows]))))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"epoch {epoch}: {sum(losses) / len(losses):.3f}")
print("probe after", round(probe(), 3))
