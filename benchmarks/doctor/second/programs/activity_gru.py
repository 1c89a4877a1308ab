# human activity from a 3-axis accelerometer (simulated)
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Activity(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 4, (n,), generator=g)
        t = torch.arange(30).float()
        freq = torch.tensor([0.1, 0.25, 0.45, 0.7])[self.y]
        phase = torch.rand(n, 3, generator=g) * 6.28
        self.x = torch.sin(freq[:, None, None] * t[None, :, None] * 2 + phase[:, None]) + 0.5 * torch.randn(n, 30, 3, generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class HAR(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(3, hidden)
        self.fc = nn.Linear(hidden, 4)

    def forward(self, x):  # x: batch, time, axis
        out, _ = self.gru(x)
        return self.fc(out[:, -1, :])


torch.manual_seed(0)
train_loader = DataLoader(Activity(1600, 0), batch_size=32, shuffle=True)
test_loader = DataLoader(Activity(300, 1), batch_size=32)
model = HAR()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(6):
    model.train()
    for x, y in train_loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    hits, n = 0, 0
    with torch.no_grad():
        for x, y in test_loader:
            hits += (model(x).argmax(1) == y).sum().item()
            n += len(y)
    print(epoch, loss.item(), hits / n)
