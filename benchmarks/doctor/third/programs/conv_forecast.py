"""Next value of a chaotic map, for every step at once, with dilated convolutions (WaveNet style)."""
import torch
from torch import nn


def henon(n, length, g):
    x = 0.2 * torch.rand(n, generator=g) - 0.1
    y = 0.2 * torch.rand(n, generator=g) - 0.1
    rows = []
    for _ in range(length + 30):
        x, y = 1 - 1.4 * x**2 + y, 0.3 * x
        rows.append(x)
    return torch.stack(rows[30:], 1) + 0.05 * torch.randn(n, length, generator=g)


class Layer(nn.Module):
    def __init__(self, i, o, dilation):
        super().__init__()
        self.reach = 2 * dilation
        self.conv = nn.Conv1d(i, o, 3, dilation=dilation)

    def forward(self, x):
        return self.conv(nn.functional.pad(x, (self.reach // 2, self.reach // 2)))


class WaveNet(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.first, self.second, self.last = Layer(1, width, 1), Layer(width, width, 2), nn.Conv1d(width, 1, 1)

    def forward(self, series):
        h = torch.relu(self.first(series.unsqueeze(1)))
        h = torch.relu(self.second(h))
        return self.last(h).squeeze(1)


g = torch.Generator().manual_seed(123)
torch.manual_seed(123)
train, test = henon(400, 41, g), henon(100, 41, g)
net = WaveNet()
optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
for epoch in range(15):
    for rows in torch.randperm(400, generator=g).split(20):
        series = train[rows]
        loss = nn.functional.mse_loss(net(series[:, :-1]), series[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 3 == 2:
        with torch.no_grad():
            full = nn.functional.mse_loss(net(test[:, :-1]), test[:, 1:]).item()
            final = nn.functional.mse_loss(net(test[:, :-1])[:, -1], test[:, -1]).item()
        print(f"epoch {epoch + 1}: train {loss.item():.4f}, test {full:.4f}, last step only {final:.4f}, variance {test.var().item():.3f}")
