import torch
from sklearn.datasets import make_friedman1
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

config = {
    "lr": 0.01,
    "momentum": 0.9,
    "batch_size": 256,
    "epochs": 60,
    "hidden": [64, 64],
    "reduction": "sum",
}
torch.manual_seed(0)
X, y = make_friedman1(2048, n_features=8, noise=0.5, random_state=0)
X = torch.tensor(X).float() * 2 - 1
y = torch.tensor((y - y.mean()) / y.std()).float()[:, None]
loader = DataLoader(TensorDataset(X[:1792], y[:1792]), batch_size=config["batch_size"], shuffle=True)
sizes = [8, *config["hidden"]]
layers = []
for a, b in zip(sizes[:-1], sizes[1:]):
    layers += [nn.Linear(a, b), nn.ReLU()]
net = nn.Sequential(*layers, nn.Linear(sizes[-1], 1))
opt = torch.optim.SGD(net.parameters(), lr=config["lr"], momentum=config["momentum"])
mse = nn.MSELoss(reduction=config["reduction"])
for epoch in range(config["epochs"]):
    for xb, yb in loader:
        opt.zero_grad()
        loss = mse(net(xb), yb)
        loss.backward()
        opt.step()
    if epoch % 10 == 9:
        with torch.no_grad():
            print(epoch + 1, "train", loss.item(), "valid", nn.functional.mse_loss(net(X[1792:]), y[1792:]).item())
