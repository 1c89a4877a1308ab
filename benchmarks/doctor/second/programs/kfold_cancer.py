import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold
from sklearn.preprocessing import scale
from torch import nn

torch.manual_seed(0)
X, y = load_breast_cancer(return_X_y=True)
X, y = torch.FloatTensor(scale(X)), torch.FloatTensor(y)[:, None]


def build():
    return nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Linear(16, 1))


model = build()
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
criterion = nn.BCEWithLogitsLoss()
scores = []
for fold, (tr, va) in enumerate(KFold(4, shuffle=True, random_state=0).split(X)):
    model = build()
    for epoch in range(10):
        model.train()
        for chunk in torch.randperm(len(tr)).split(32):
            rows = torch.as_tensor(tr)[chunk]
            optimizer.zero_grad()
            loss = criterion(model(X[rows]), y[rows])
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        out = model(X[va])
    scores.append(((out > 0) == (y[va] > 0.5)).float().mean().item())
    print("fold", fold, "loss", loss.item(), "val", criterion(out, y[va]).item(), "acc", scores[-1])
print("mean", sum(scores) / len(scores))
