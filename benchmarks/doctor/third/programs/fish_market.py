"""Three kinds of fish, told apart by length, height and weight (made-up but plausible numbers)."""
import torch
from torch import nn

torch.manual_seed(3)
KINDS = {1: ("perch", 28.0, 8.0, 0.39), 2: ("pike", 48.0, 7.6, 0.72), 3: ("bream", 36.0, 15.1, 0.62)}


def sample(kind, n):
    _, length, height, weight = KINDS[kind]
    size = 1 + 0.12 * torch.randn(n, 1)
    x = torch.tensor([[length, height, weight]]) * size * (1 + 0.08 * torch.randn(n, 3))
    return x, torch.full((n,), kind)


xs, ys = zip(*(sample(k, 150) for k in KINDS))
x, y = torch.cat(xs), torch.cat(ys)
order = torch.randperm(len(x))
x, y = x[order], y[order]
x = (x - x[:360].mean(0)) / x[:360].std(0)

net = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, len(KINDS)))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
loss_fn = nn.CrossEntropyLoss()

for epoch in range(20):
    for rows in torch.randperm(360).split(24):
        opt.zero_grad()
        loss = loss_fn(net(x[rows]), y[rows])
        loss.backward()
        opt.step()
    with torch.no_grad():
        acc = (net(x[360:]).argmax(1) == y[360:]).float().mean()
    print(f"epoch {epoch}: {loss.item():.3f}, accuracy on held-out fish {acc:.3f}")
