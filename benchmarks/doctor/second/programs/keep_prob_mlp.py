import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


class MLP(nn.Module):
    def __init__(self, keep_prob=0.9):
        super().__init__()
        self.fc1 = nn.Linear(64, 48)
        self.fc2 = nn.Linear(48, 48)
        self.fc3 = nn.Linear(48, 10)
        self.dropout = nn.Dropout(keep_prob)

    def forward(self, x):
        x = self.dropout(F.relu(self.fc1(x)))
        x = self.dropout(F.relu(self.fc2(x)))
        return self.fc3(x)


torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X / 8 - 1).float(), torch.tensor(y)
model = MLP()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(12):
    model.train()
    for b in torch.randperm(1500).split(60):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(X[b]), y[b])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        out = model(X[1500:])
    print(epoch, loss.item(), F.cross_entropy(out, y[1500:]).item(), (out.argmax(1) == y[1500:]).float().mean().item())
