import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
BATCH_SIZE = 2048
EPOCHS = 20
d = load_digits()
x = torch.tensor(d.images / 16, dtype=torch.float32).unsqueeze(1)
y = torch.tensor(d.target)
train = DataLoader(TensorDataset(x[:1500], y[:1500]), batch_size=BATCH_SIZE, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 2), nn.ReLU(), nn.Flatten(), nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(EPOCHS):
    model.train()
    for xb, yb in train:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        out = model(x[1500:])
        print(f"{epoch} {loss.item():.4f} {nn.functional.cross_entropy(out, y[1500:]).item():.4f} {(out.argmax(1) == y[1500:]).float().mean():.3f}")
