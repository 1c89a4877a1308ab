"""Digits: a multilayer perceptron with dropout, loaders, validation after every epoch."""

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
LR = 2e-3
digits = load_digits()
X = torch.tensor(digits.data / 16.0, dtype=torch.float32)
y = torch.tensor(digits.target)
order = torch.randperm(len(X))
X, y = X[order], y[order]
X = (X - X[:1400].mean(0)) / (X[:1400].std(0) + 1e-2)
train_set = TensorDataset(X[:1400], y[:1400])
valid_set = TensorDataset(X[1400:], y[1400:])
train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
valid_loader = DataLoader(valid_set, batch_size=128)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 96)
        self.fc2 = nn.Linear(96, 64)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(64, 10)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = self.drop(torch.relu(self.fc2(x)))
        return self.out(x)


model = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=LR)
for epoch in range(8):
    model.train()
    for xb, yb in train_loader:
        optimizer.zero_grad()
        outputs = model(xb)
        loss = criterion(outputs, yb)
        loss.backward()
        optimizer.step()
    model.eval()
    correct, total = 0, 0.0
    with torch.no_grad():
        for xb, yb in valid_loader:
            outputs = model(xb)
            total += criterion(outputs, yb).item() * len(yb)
            correct += (outputs.argmax(1) == yb).sum().item()
    print(
        f"epoch {epoch}: loss {total / len(valid_set):.3f}, accuracy {correct / len(valid_set):.3f}"
    )
