import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


def stripes(n):
    """Horizontal, vertical or diagonal stripes in noise."""
    kind = torch.randint(0, 3, (n,))
    i, j = torch.meshgrid(torch.arange(12.0), torch.arange(12.0), indexing="ij")
    base = torch.stack([i, j, i + j])
    phase = torch.rand(n, 1, 1) * 6.28
    return (torch.sin(base[kind] * 1.6 + phase) + 0.7 * torch.randn(n, 12, 12)).unsqueeze(1), kind


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 8, 3)
        self.c2 = nn.Conv2d(8, 16, 3)
        self.fc = nn.Linear(16, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        return self.fc(F.relu(self.c2(x)).amax((2, 3)))


def train_step(model, optimizer, batch):
    x, y = batch
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    model.zero_grad()
    optimizer.step()
    return loss.detach()


model = ConvNet()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(200):
    loss = train_step(model, optimizer, stripes(32))
    if step % 40 == 0:
        print(step, float(loss))
with torch.no_grad():
    x, y = stripes(400)
    print("accuracy", (model(x).argmax(1) == y).float().mean().item(), F.cross_entropy(model(x), y).item())
