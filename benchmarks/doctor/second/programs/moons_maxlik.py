import torch, torch.nn as nn, torch.nn.functional as F
from sklearn.datasets import make_moons

torch.manual_seed(0)
X, y = make_moons(1000, noise=0.2, random_state=0)
X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
train_x, train_y, val_x, val_y = X[:800], y[:800], X[800:], y[800:]
model = nn.Sequential(nn.Linear(2, 32), nn.ELU(), nn.Linear(32, 2), nn.LogSoftmax(dim=-1))
optim = torch.optim.SGD(model.parameters(), lr=0.1)

def evaluate():
    with torch.no_grad():
        lp = model(val_x)
        return F.nll_loss(lp, val_y).item(), (lp.argmax(-1) == val_y).float().mean().item()

for epoch in range(15):
    for chunk in torch.randperm(800).split(40):
        log_probs = model(train_x[chunk])
        # maximum likelihood: negative log likelihood
        loss = -F.nll_loss(log_probs, train_y[chunk])
        optim.zero_grad()
        loss.backward()
        optim.step()
    print(epoch, loss.item(), *evaluate())
