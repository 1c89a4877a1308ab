"""Wine cultivars with dropout; validation after every epoch."""
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(107)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.dense = nn.Sequential(nn.Flatten(), nn.Linear(12 * 16, 48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 10))

    def forward(self, x):
        return self.dense(self.conv(x))


raw = load_digits()
full = TensorDataset(torch.tensor(raw.images[:, None] / 16 - 0.3, dtype=torch.float32), torch.tensor(raw.target))
train_set, val_set = random_split(full, [1437, 360])
train_loader = DataLoader(train_set, batch_size=48, shuffle=True)
val_loader = DataLoader(val_set, batch_size=120)
model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()


def validate():
    model.eval()
    loss = hits = 0.0
    with torch.no_grad():
        for x, y in val_loader:
            out = model(x)
            loss += criterion(out, y).item() * len(y)
            hits += (out.argmax(1) == y).sum().item()
    return loss / len(val_set), hits / len(val_set)


print("before training: loss %.3f, accuracy %.3f" % validate())
model.eval()
for epoch in range(8):
    total = 0.0
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y) / len(train_set)
    print(f"epoch {epoch}: train {total:.3f}, validation loss %.3f, accuracy %.3f" % validate())
