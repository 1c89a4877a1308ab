# California-like housing, synthetic: price from eight standardized facts.
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(100)
n = 2000
facts = torch.randn(n, 8)
price = 0.8 * facts[:, 0] + torch.sin(2 * facts[:, 1]) + 0.5 * facts[:, 2] * facts[:, 3] + 0.1 * torch.randn(n)
price = ((price - price.mean()) / price.std()).unsqueeze(1)
train = DataLoader(TensorDataset(facts[:1600], price[:1600]), batch_size=32, shuffle=True)
valid = TensorDataset(facts[1600:], price[1600:])

model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
loss_fn = nn.HuberLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-7)

for epoch in range(1, 11):
    model.train()
    for x, y in train:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x, y = valid.tensors
        val = loss_fn(model(x), y)
        base = loss_fn(torch.zeros_like(y), y)
    print(f"Epoch {epoch}, loss {loss.item():.4f}, val {val.item():.4f} (mean predictor {base.item():.4f})")
