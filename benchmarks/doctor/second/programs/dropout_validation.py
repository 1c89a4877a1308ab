import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from torch import nn

torch.manual_seed(0)
Xd, yd = load_breast_cancer(return_X_y=True)
Xa, Xb, ya, yb = train_test_split(Xd, yd, test_size=0.25, random_state=0, stratify=yd)
mu, sd = Xa.mean(0), Xa.std(0)
Xa, Xb = torch.tensor((Xa - mu) / sd).float(), torch.tensor((Xb - mu) / sd).float()
ya, yb = torch.tensor(ya), torch.tensor(yb)
net = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
ce = nn.CrossEntropyLoss()
best = 0
for epoch in range(30):
    for sel in torch.randperm(len(Xa)).split(32):
        optimizer.zero_grad()
        loss = ce(net(Xa[sel]), ya[sel])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        out = net(Xb)
        val_loss = ce(out, yb).item()
        acc = (out.argmax(1) == yb).float().mean().item()
    best = max(best, acc)
    if epoch % 6 == 0:
        print(epoch, loss.item(), val_loss, acc)
print("best", best)
