"""A third of the training labels is random; a modest network with decay learns the digits all the same."""
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(210)
d = load_digits()
x = torch.tensor(d.data / 16 - 0.3, dtype=torch.float32)
y = torch.tensor(d.target)
p = torch.randperm(len(y))
x, y = x[p], y[p]
train = slice(0, 1400)
noisy = y[train].clone()
hit = torch.rand(1400) < 0.33
noisy[hit] = torch.randint(0, 10, (int(hit.sum()),))


class Modest(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(64, 24)
        self.out = nn.Linear(24, 10)

    def forward(self, x):
        return self.out(torch.relu(self.fc(x)))


net = Modest()
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.3)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
for epoch in range(12):
    total = 0.0
    for rows in torch.randperm(1400).split(50):
        loss = criterion(net(x[rows]), noisy[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / 28
    with torch.no_grad():
        out = net(x[1400:])
    print(f"epoch {epoch}: train on noisy labels {total:.3f}; clean held-out accuracy {(out.argmax(1) == y[1400:]).float().mean():.3f}")
