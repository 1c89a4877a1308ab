import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
# a quarter of the labels are wrong: 0.8 accuracy is as good as it gets
X, y = make_classification(3000, 10, n_informative=6, n_redundant=0, class_sep=1.5, flip_y=0.5, random_state=2)
X, y = torch.tensor(X).float(), torch.tensor(y)
X = (X - X.mean(0)) / X.std(0)
model = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 2))
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
for epoch in range(8):
    model.train()
    for xb, yb in DataLoader(TensorDataset(X[:2400], y[:2400]), batch_size=60, shuffle=True):
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        out = model(X[2400:])
        print(epoch, loss.item(), nn.functional.cross_entropy(out, y[2400:]).item(), (out.argmax(1) == y[2400:]).float().mean().item())
