"""Monte Carlo dropout: dropout stays on at prediction, the spread is the doubt."""
import torch
from torch import nn

torch.manual_seed(214)
x = torch.cat([torch.rand(400, 1) * 2 - 3, torch.rand(400, 1) * 2 + 1])
y = torch.sin(1.5 * x) + 0.1 * torch.randn_like(x)
xv = torch.cat([torch.rand(100, 1) * 2 - 3, torch.rand(100, 1) * 2 + 1])
yv = torch.sin(1.5 * xv) + 0.1 * torch.randn_like(xv)


class Doubtful(nn.Module):
    def __init__(self, width=64, p=0.05):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(1, width), nn.ReLU(), nn.Dropout(p), nn.Linear(width, width), nn.ReLU(), nn.Dropout(p), nn.Linear(width, 1)
        )

    def forward(self, x):
        return self.net(x)

    @torch.no_grad()
    def predict(self, x, draws=50):
        self.train()
        samples = torch.stack([self(x) for _ in range(draws)])
        return samples.mean(0), samples.std(0)


model = Doubtful()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-4)
for epoch in range(40):
    model.train()
    for rows in torch.randperm(800).split(40):
        loss = nn.functional.mse_loss(model(x[rows] / 2), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        mean, _ = model.predict(xv / 2)
        print(f"epoch {epoch + 1}: train {loss.item():.4f}, mean of 50 draws on new points {nn.functional.mse_loss(mean, yv).item():.4f}")
_, inside = model.predict(xv / 2)
_, outside = model.predict(torch.tensor([[5.0], [6.0], [-5.0], [-6.0]]) / 2)
print(f"doubt on the data {inside.mean():.3f}, far from it {outside.mean():.3f}")
