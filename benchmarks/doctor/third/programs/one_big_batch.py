"""Digits with the whole training set as the batch."""
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(150)
raw = load_digits()
data = TensorDataset(torch.tensor(raw.data / 16, dtype=torch.float32), torch.tensor(raw.target))
train, val = random_split(data, [1400, 397])
loader = DataLoader(train, batch_size=1400, shuffle=True)
x_val, y_val = next(iter(DataLoader(val, batch_size=len(val))))
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(12):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        out = model(x_val)
        print(f"epoch {epoch}: loss {loss.item():.3f} validation {nn.functional.cross_entropy(out, y_val).item():.3f} accuracy {(out.argmax(1) == y_val).float().mean().item():.3f}")
