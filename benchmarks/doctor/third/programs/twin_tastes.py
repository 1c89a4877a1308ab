"""Are two digits the same?  A Siamese net whose distance feeds the contrastive loss of Hadsell et al."""
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(101)
d = load_digits()
x = torch.tensor(d.data / 16, dtype=torch.float32)
y = torch.tensor(d.target)
p = torch.randperm(len(x))
x, y = x[p], y[p]
MARGIN = 1.0


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))

    def distance(self, a, b):
        difference = self.embed(a) - self.embed(b)
        return torch.sqrt((difference**2).sum(1))


def pairs(low, high, n):
    i = torch.randint(low, high, (n,))
    j = torch.randint(low, high, (n,))
    half = n // 2
    for k in range(half):
        same = (y[low:high] == y[i[k]]).nonzero().flatten() + low
        j[k] = same[torch.randint(len(same), (1,))]
    j[:2] = i[:2]
    return i, j, (y[i] == y[j]).float()


model = Siamese()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
vi, vj, vs = pairs(1400, 1797, 400)
for step in range(1, 301):
    i, j, same = pairs(0, 1400, 64)
    dist = model.distance(x[i], x[j])
    loss = (same * dist**2 + (1 - same) * torch.relu(MARGIN - dist) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0 or step == 1:
        with torch.no_grad():
            dv = model.distance(x[vi], x[vj])
        print(step, f"loss {loss.item():.4f} pairs right {((dv < MARGIN / 2).float() == vs).float().mean():.3f}")
