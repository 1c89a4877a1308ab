"""Mean and spread of a response whose noise grows with the input (Nix and Weigend 1994)."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(223)


def draw(n):
    x = torch.rand(n, 1) * 4 - 2
    return x, torch.sin(2 * x) + (0.1 + 0.2 * (x + 2) / 2) * torch.randn_like(x)


class MeanAndSpread(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.mean, self.variance = nn.Linear(width, 1), nn.Linear(width, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.mean(h), nn.functional.softplus(self.variance(h)) + 1e-4


x, y = draw(2000)
xv, yv = draw(500)
loader = DataLoader(TensorDataset(x, y), batch_size=50, shuffle=True)
model, nll = MeanAndSpread(), nn.GaussianNLLLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(20):
    for xb, yb in loader:
        mean, variance = model(xb)
        loss = nll(mean, yb, variance)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 3 == 1:
        with torch.no_grad():
            mean, variance = model(xv)
            inside = ((yv - mean).abs() < 1.96 * variance.sqrt()).float().mean()
            print(f"epoch {epoch + 1}: nll {loss.item():.3f} held out {nll(mean, yv, variance).item():.3f} (constant {nll(yv.mean().expand_as(yv), yv, yv.var().expand_as(yv)).item():.3f}) inside {inside:.3f}")
