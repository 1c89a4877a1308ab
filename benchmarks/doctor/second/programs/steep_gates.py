import torch
import torch.nn as nn
from sklearn.datasets import make_moons


class SoftTree(nn.Module):
    """Layers of steep gates, almost yes/no decisions."""

    def __init__(self, n_gates=32, steepness=200.0):
        super().__init__()
        self.gates1 = nn.Linear(2, n_gates)
        self.gates2 = nn.Linear(n_gates, n_gates)
        self.leaf = nn.Linear(n_gates, 2)
        self.k = steepness

    def forward(self, x):
        g = torch.sigmoid(self.k * self.gates1(x))
        g = torch.sigmoid(self.k * self.gates2(g))
        return self.leaf(g)


torch.manual_seed(0)
X, y = make_moons(1200, noise=0.15, random_state=1)
X, y = torch.tensor(X).float(), torch.tensor(y)
X = (X - X.mean(0)) / X.std(0)
tree = SoftTree()
opt = torch.optim.SGD(tree.parameters(), lr=0.1, momentum=0.9)
for step in range(500):
    b = torch.randint(0, 1000, (64,))
    loss = nn.functional.cross_entropy(tree(X[b]), y[b])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0 or step == 499:
        with torch.no_grad():
            print(step, loss.item(), (tree(X[1000:]).argmax(1) == y[1000:]).float().mean().item())
