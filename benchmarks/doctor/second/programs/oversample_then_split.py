import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from torch import nn

torch.manual_seed(0)
X, y = make_classification(1000, 12, n_informative=6, weights=[0.85], flip_y=0.05, random_state=0)
# balance the classes by repeating rows of the rare one
rare = np.flatnonzero(y == 1)
extra = np.random.RandomState(0).choice(rare, (y == 0).sum() - len(rare))
X, y = np.concatenate([X, X[extra]]), np.concatenate([y, y[extra]])
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.25, random_state=0)
X_train, X_val = torch.tensor(X_train).float(), torch.tensor(X_val).float()
y_train, y_val = torch.tensor(y_train), torch.tensor(y_val)
net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 2))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(12):
    net.train()
    for b in torch.randperm(len(X_train)).split(50):
        loss = nn.functional.cross_entropy(net(X_train[b]), y_train[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        out = net(X_val)
        print(epoch, loss.item(), nn.functional.cross_entropy(out, y_val).item(), (out.argmax(1) == y_val).float().mean().item())
