# A wavy curve with a very economical network.
import torch
from torch import nn

torch.manual_seed(162)
t = torch.rand(1500, 1) * 6 - 3
y = torch.sin(3 * t) + 0.05 * torch.randn_like(t)
x = t / 3
train, test = slice(0, 1200), slice(1200, None)
HIDDEN = 1
net = nn.Sequential(nn.Linear(1, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-2)
for epoch in range(60):
    for rows in torch.randperm(1200).split(60):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x[train][rows]), y[train][rows])
        loss.backward()
        optimizer.step()
    if epoch % 6 == 5:
        with torch.no_grad():
            print(f"epoch {epoch + 1}: train {loss.item():.4f} test {nn.functional.mse_loss(net(x[test]), y[test]).item():.4f} (variance {y.var().item():.3f})")
