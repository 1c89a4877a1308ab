import torch
from sklearn.datasets import make_classification
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X, y = make_classification(1600, 20, n_informative=8, n_classes=3, random_state=0)
ds = TensorDataset(torch.tensor(X).float(), torch.tensor(y))
train_ds, test_ds = torch.utils.data.random_split(ds, [1280, 320])
train_dl, test_dl = DataLoader(train_ds, 64, shuffle=True), DataLoader(test_ds, 320)


def train_on_batch(model, x, y, lr=1e-3):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


def test(model):
    model.eval()
    with torch.no_grad():
        xb, yb = next(iter(test_dl))
        out = model(xb)
        return nn.functional.cross_entropy(out, yb).item(), (out.argmax(1) == yb).float().mean().item()


model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
for epoch in range(15):
    model.train()
    total = sum(train_on_batch(model, xb, yb) for xb, yb in train_dl)
    print(epoch, total / len(train_dl), *test(model))
