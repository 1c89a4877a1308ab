"""XOR of the signs of two coordinates, with an initialiser applied to every layer."""
import torch
from torch import nn


def initialise(module):
    if isinstance(module, nn.Linear):
        nn.init.constant_(module.weight, 0.1)
        nn.init.zeros_(module.bias)


class XorNet(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.apply(initialise)

    def forward(self, x):
        return self.layers(x).flatten()


torch.manual_seed(104)
points = torch.rand(1200, 2) * 2 - 1
label = ((points[:, 0] > 0) ^ (points[:, 1] > 0)).float()
net = XorNet()
optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
lossf = nn.BCEWithLogitsLoss()
for epoch in range(25):
    for i in torch.randperm(1000).view(25, 40):
        optimizer.zero_grad()
        loss = lossf(net(points[i]), label[i])
        loss.backward()
        optimizer.step()
    if (epoch + 1) % 5 == 0:
        with torch.no_grad():
            z = net(points[1000:])
            print(f"epoch {epoch + 1}: loss {loss.item():.3f} test {lossf(z, label[1000:]).item():.3f} accuracy {((z > 0).float() == label[1000:]).float().mean().item():.3f}")
