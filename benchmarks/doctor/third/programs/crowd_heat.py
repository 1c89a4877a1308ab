"""Self-attention over the parts of a machine: does the pair (1, 4) overheat together?"""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.heads = nn.MultiheadAttention(dim, 3)

    def forward(self, x):
        x = self.norm(x)
        return self.heads(x, x, x, need_weights=False)[0]


class Machine(nn.Module):
    def __init__(self, parts=6, dim=24):
        super().__init__()
        self.embed = nn.Linear(1, dim)
        self.place = nn.Parameter(0.1 * torch.randn(parts, dim))
        self.attention = Attention(dim)
        self.read = nn.Sequential(nn.Flatten(), nn.Linear(parts * dim, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, temperature):
        h = self.embed(temperature.unsqueeze(-1)) + self.place
        return self.read(h + self.attention(h)).squeeze(-1)


torch.manual_seed(121)
temperature = torch.randn(3300, 6)
hot = (temperature[:, 1] * temperature[:, 4] > 0.2).float()
loader = DataLoader(TensorDataset(temperature[:3000], hot[:3000]), batch_size=50, shuffle=True)
model = Machine()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for epoch in range(6):
    model.train()
    for x, y in loader:
        loss = F.binary_cross_entropy_with_logits(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        z = torch.cat([model(temperature[i : i + 1]) for i in range(3000, 3300)])
        val = F.binary_cross_entropy_with_logits(z, hot[3000:]).item()
    print(f"epoch {epoch}: train {loss.item():.3f}, one by one {val:.3f}, accuracy {((z > 0).float() == hot[3000:]).float().mean().item():.3f}")
