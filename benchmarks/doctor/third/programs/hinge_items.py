import torch
from sklearn.datasets import make_moons
from torch import nn

torch.manual_seed(6)
X, y = make_moons(800, noise=0.15, random_state=6)
X = torch.tensor(X, dtype=torch.float32) - torch.tensor([0.5, 0.25])
sign = torch.tensor(2 * y - 1, dtype=torch.float32)

svm = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(svm.parameters(), lr=0.005)


def hinge(scores, sign):
    margins = [torch.relu(1 - s * t) for s, t in zip(scores.view(-1), sign)]
    return torch.tensor(margins, requires_grad=True).mean()


for epoch in range(12):
    order = torch.randperm(640)
    running = []
    for chunk in order.chunk(20):
        opt.zero_grad()
        loss = hinge(svm(X[chunk]), sign[chunk])
        loss.backward()
        opt.step()
        running.append(loss.item())
    with torch.no_grad():
        right = (svm(X[640:]).view(-1).sign() == sign[640:]).float().mean().item()
    print("epoch", epoch, "hinge", round(sum(running) / len(running), 4), "held-out accuracy", round(right, 3))
