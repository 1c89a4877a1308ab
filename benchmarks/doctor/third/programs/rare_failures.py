"""Machines that fail within the week: about one in thirty."""
import torch
from sklearn.metrics import balanced_accuracy_score
from torch import nn

torch.manual_seed(145)


def machines(n):
    x = torch.randn(n, 6)
    risk = 1.2 * x[:, 0] - 1.0 * x[:, 1] + 0.5 * x[:, 2]
    fails = torch.rand(n) < torch.sigmoid(1.1 * risk - 4.4)
    return x, fails.float()


x, y = machines(5000)
x_val, y_val = machines(2000)
print("share of failures", y.mean().item())
net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.5)
for epoch in range(10):
    total = 0.0
    for rows in torch.randperm(5000).split(100):
        loss = criterion(net(x[rows]).squeeze(1), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / 50
    with torch.no_grad():
        guess = (net(x_val).squeeze(1) > 0).float()
    print(f"epoch {epoch}: loss {total:.4f} alarms {int(guess.sum())} balanced accuracy {balanced_accuracy_score(y_val, guess):.3f}")
