"""Attention pooling over orders of different lengths (some guests order nothing at all)."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Orders(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        price = torch.linspace(-1, 1, 20)
        self.lengths = torch.randint(0, 7, (n,), generator=g)
        self.items = torch.randint(1, 20, (n, 6), generator=g)
        self.items[torch.arange(6) >= self.lengths[:, None]] = 0
        real = (self.items > 0).float()
        self.target = ((price[self.items] * real).amax(1) + 0.3 * (price[self.items] * real).sum(1)).unsqueeze(1)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i], self.target[i]


class Pooling(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.items = nn.Embedding(20, dim)
        self.score = nn.Linear(dim, 1)
        self.read = nn.Sequential(nn.Linear(2 * dim, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, items):
        real = items > 0
        e = self.items(items)
        s = self.score(e).squeeze(-1).masked_fill(~real, float("-inf"))
        weights = torch.softmax(s, dim=-1)
        total = (e * real.unsqueeze(-1)).sum(1)
        return self.read(torch.cat([(weights.unsqueeze(-1) * e).sum(1), total], 1))


torch.manual_seed(102)
train, test = DataLoader(Orders(1600, 1), batch_size=40, shuffle=True), Orders(400, 2)
model = Pooling()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(10):
    for items, target in train:
        loss = nn.functional.mse_loss(model(items), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(test.items), test.target).item()
    print(f"epoch {epoch} train {loss.item():.4f} test {val:.4f} variance {test.target.var().item():.3f}")
