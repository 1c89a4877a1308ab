"""Three per cent of fraud, class weights in the loss, average precision as the score."""
import torch
from sklearn.metrics import average_precision_score, balanced_accuracy_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(211)


def transactions(n):
    x = torch.randn(n, 10)
    score = x[:, 0] * x[:, 1] + x[:, 2] + 0.8 * x[:, 3].abs()
    return x, (score + 0.3 * torch.randn(n) > 3.2).long()


x, y = transactions(6000)
train, val = random_split(TensorDataset(x, y), [4800, 1200])
share = y[train.indices].float().mean()
print(f"fraud {share:.3f}")
criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.5 / (1 - share), 0.5 / share]))
net = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-3)
loader = DataLoader(train, batch_size=96, shuffle=True)
xv, yv = next(iter(DataLoader(val, batch_size=len(val))))
for epoch in range(12):
    net.train()
    total = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item() / len(loader)
    net.eval()
    with torch.no_grad():
        out = net(xv)
    probability = out.softmax(1)[:, 1]
    print(f"epoch {epoch}: {total:.3f} val {criterion(out, yv).item():.3f} AP {average_precision_score(yv, probability):.3f} balanced {balanced_accuracy_score(yv, out.argmax(1)):.3f}")
