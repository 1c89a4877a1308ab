# Focal length of a lens system from four curvatures and three distances; decoupled decay as in the AdamW paper.
import torch
from torch import nn

torch.manual_seed(66)
curves = torch.randn(1500, 4)
gaps = torch.rand(1500, 3) * 2 - 1
power = curves[:, 0] - curves[:, 1] + 0.5 * gaps[:, 0] * curves[:, 2] - 0.7 * gaps[:, 1] * curves[:, 3] + 0.3 * gaps[:, 2]
x, y = torch.cat([curves, gaps], 1), power[:, None]
net = nn.Sequential(nn.Linear(7, 50), nn.ELU(), nn.Linear(50, 50), nn.ELU(), nn.Linear(50, 1))
DECAY = 30.0
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=DECAY)
for epoch in range(20):
    for rows in torch.randperm(1200).split(40):
        loss = nn.functional.mse_loss(net(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 4 == 3:
        with torch.no_grad():
            val = nn.functional.mse_loss(net(x[1200:]), y[1200:]).item()
        print(f"{epoch + 1:3d} train {loss.item():.4f} validation {val:.4f} (variance {y.var().item():.2f})")
