import torch
from sklearn.datasets import load_iris
from torch import nn

config = {"hidden": 16, "learning_rate": 0.02, "epochs": 40}
torch.manual_seed(0)
X, y = load_iris(return_X_y=True)
X, y = torch.tensor((X - X.mean(0)) / X.std(0)).float(), torch.tensor(y)
net = nn.Sequential(nn.Linear(4, config["hidden"]), nn.ReLU(), nn.Linear(config["hidden"], 3))
opt = torch.optim.SGD(net.parameters(), lr=config["learning_rate"], momentum=0.9)
history = {"loss": []}
for epoch in range(config["epochs"]):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(X), y)
    loss.backward()
    opt.step()
    history["loss"].append(loss.item())
    with torch.no_grad():
        history["accuracy"].append((net(X).argmax(1) == y).float().mean().item())
print(history["loss"][-1], history["accuracy"][-1])
