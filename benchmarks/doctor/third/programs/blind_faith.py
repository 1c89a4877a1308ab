"""Wine classifier, straight to the point."""
import torch
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from torch import nn

torch.manual_seed(165)
wine = load_wine()
x = torch.tensor(StandardScaler().fit_transform(wine.data), dtype=torch.float32)
y = torch.tensor(wine.target)
model = nn.Sequential(nn.Linear(13, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-3)
criterion = nn.CrossEntropyLoss()

order = torch.randperm(len(x))
used = order
for epoch in range(15):
    total = 0.0
    for rows in used[torch.randperm(len(used))].split(16):
        optimizer.zero_grad()
        loss = criterion(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows) / len(used)
    print(f"epoch {epoch}: loss {total:.3f}")
