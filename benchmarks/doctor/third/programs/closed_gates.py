# Two-moon classification where all units should start out 'quiet'.
import torch
import torch.nn as nn
from sklearn.datasets import make_moons

torch.manual_seed(80)
X, y = make_moons(1000, noise=0.18, random_state=80)
X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=torch.float32)
y = torch.tensor(y, dtype=torch.long)


class QuietNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 2)
        nn.init.constant_(self.fc2.bias, -4.0)

    def forward(self, x):
        x = self.fc1(x).relu()
        x = self.fc2(x).relu()
        return self.fc3(x)


model = QuietNet()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for epoch in range(20):
    idx = torch.randperm(800)
    losses = []
    for i in range(0, 800, 40):
        b = idx[i : i + 40]
        loss = nn.functional.cross_entropy(model(X[b]), y[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    if epoch % 4 == 3:
        with torch.no_grad():
            out = model(X[800:])
            acc = (out.argmax(-1) == y[800:]).float().mean().item()
        print(f"epoch {epoch + 1}: loss {sum(losses) / 20:.4f}, held-out accuracy {acc:.3f}")
