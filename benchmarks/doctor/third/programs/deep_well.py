"""Depth pays: a tall stack of squashing layers on the digits."""
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(50)


def stack(width, depth, squash):
    layers = [nn.Linear(64, width), squash()]
    for _ in range(depth):
        layers += [nn.Linear(width, width), squash()]
    return nn.Sequential(*layers, nn.Linear(width, 10))


d = load_digits()
x = torch.tensor(d.data, dtype=torch.float32)
x = (x - x.mean()) / x.std()
y = torch.tensor(d.target)
p = torch.randperm(len(x))
x, y = x[p], y[p]

net = stack(48, 9, nn.Sigmoid)
for layer in net:
    if isinstance(layer, nn.Linear):
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for epoch in range(9):
    seen = 0.0
    for rows in torch.randperm(1400).split(50):
        loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen += loss.item() * len(rows) / 1400
    if epoch % 2 == 1:
        with torch.no_grad():
            out = net(x[1400:])
        print(f"{epoch + 1}: {seen:.3f} held-out {nn.functional.cross_entropy(out, y[1400:]).item():.3f} accuracy {(out.argmax(1) == y[1400:]).float().mean():.3f}")
