"""Robot arm torque (simulated): a four-layer net whose weights come from one normal generator."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def simulate(n, g):
    q = torch.randn(n, 2, generator=g)
    dq = torch.randn(n, 2, generator=g)
    torque = torch.sin(q[:, :1]) + 0.5 * torch.sin(q.sum(1, keepdim=True)) + 0.3 * dq[:, :1] * dq[:, 1:] + 0.1 * dq[:, :1]
    return torch.cat([q, dq], 1), torque


class ArmNet(nn.Module):
    def __init__(self, width, std):
        super().__init__()
        self.inner = nn.Sequential(
            nn.Linear(4, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.outer = nn.Linear(width, 1)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=std or p.shape[1] ** -0.5)

    def forward(self, state):
        return self.outer(self.inner(state))


g = torch.Generator().manual_seed(105)
torch.manual_seed(105)
x, y = simulate(2000, g)
xv, yv = simulate(500, g)
loader = DataLoader(TensorDataset(x, y), batch_size=50, shuffle=True, generator=g)
net = ArmNet(96, std=1.0)
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(12):
    for state, torque in loader:
        loss = nn.functional.mse_loss(net(state), torque)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(f"epoch {epoch}: train {loss.item():.4f}, validation {nn.functional.mse_loss(net(xv), yv).item():.4f}, variance {yv.var().item():.3f}")
