import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_iris

torch.manual_seed(5)
iris = load_iris()
X = torch.tensor(iris.data, dtype=torch.float)
X = (X - X.mean(0)) / X.std(0)
Y = torch.tensor(iris.target)
idx = torch.randperm(150)
Xtr, Ytr, Xte, Yte = X[idx[:110]], Y[idx[:110]], X[idx[110:]], Y[idx[110:]]

fc1, fc2 = nn.Linear(4, 20), nn.Linear(20, 3)
opt = torch.optim.Adam(list(fc1.parameters()) + list(fc2.parameters()), lr=0.01)


def forward(x):
    return F.log_softmax(fc2(F.relu(fc1(x))), dim=0)


for ep in range(200):
    opt.zero_grad()
    loss = F.nll_loss(forward(Xtr), Ytr)
    loss.backward()
    opt.step()
    if ep % 40 == 0:
        with torch.no_grad():
            acc = (forward(Xte).argmax(1) == Yte).float().mean()
        print(ep, loss.item(), acc.item())
print("end", loss.item())
