import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
w = load_wine()
X = torch.tensor((w.data - w.data.mean(0)) / w.data.std(0), dtype=torch.float32)
ds = TensorDataset(X, torch.tensor(w.target))
train_ds, val_ds = random_split(ds, [130, 48])
train_loader = DataLoader(train_ds, batch_size=26, shuffle=True)
val_loader = DataLoader(val_ds, batch_size=48)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(13, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 3)
        )

    def forward(self, x):
        return self.net(x)


model = Model()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def evaluate():
    model.eval()
    total = correct = 0
    with torch.no_grad():
        for x, y in val_loader:
            out = model(x)
            total += criterion(out, y).item()
            correct += (out.argmax(1) == y).sum().item()
    return total / len(val_loader), correct / len(val_ds)


model.train()
for epoch in range(40):
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    vl, va = evaluate()
    if epoch % 8 == 0:
        print(f"epoch {epoch} loss {loss.item():.3f} val {vl:.3f} acc {va:.3f}")
