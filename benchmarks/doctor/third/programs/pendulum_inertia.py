"""Learn to invert a two-joint arm: from the hand's place to the two angles (elbow up)."""
import torch
from torch import nn

torch.manual_seed(18)
angles = torch.rand(2000, 2) * torch.tensor([1.4, 1.4]) + torch.tensor([0.1, 0.4])
hand = torch.stack(
    [
        angles[:, 0].cos() + angles.sum(1).cos(),
        angles[:, 0].sin() + angles.sum(1).sin(),
    ],
    dim=1,
)
hand = (hand - hand.mean(0)) / hand.std(0)
goal = (angles - angles.mean(0)) / angles.std(0)


class Arm(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, xy):
        return self.net(xy)

    def fit(self, x, y, x_val, y_val, *, epochs=15, batch=32):
        opt = torch.optim.SGD(self.parameters(), lr=0.02, momentum=0.999)
        for epoch in range(epochs):
            total = 0.0
            for rows in torch.randperm(len(x)).split(batch):
                opt.zero_grad()
                loss = (self(x[rows]) - y[rows]).pow(2).mean()
                loss.backward()
                opt.step()
                total += loss.item() * len(rows) / len(x)
            with torch.no_grad():
                val = (self(x_val) - y_val).pow(2).mean().item()
            print(f"epoch {epoch:2d}: train {total:.4f}, validation {val:.4f}")


Arm().fit(hand[:1600], goal[:1600], hand[1600:], goal[1600:])
