# Batch-normalised classifier of gaussian clouds, evaluated one class at a time.
import torch
from sklearn.datasets import make_blobs
from torch import nn

torch.manual_seed(109)
X, y = make_blobs(2000, n_features=6, centers=4, cluster_std=3.0, random_state=109)
X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=torch.float32)
y = torch.tensor(y)
train_x, train_y, test_x, test_y = X[:1500], y[:1500], X[1500:], y[1500:]
net = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4))
sgd = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)


def per_class_report():
    losses = []
    with torch.no_grad():
        for k in range(4):
            rows = test_y == k
            out = net(test_x[rows])
            losses.append(nn.functional.cross_entropy(out, test_y[rows]).item())
    return losses


for epoch in range(10):
    net.train()
    running = []
    for rows in torch.randperm(1500).split(60):
        sgd.zero_grad()
        loss = nn.functional.cross_entropy(net(train_x[rows]), train_y[rows])
        loss.backward()
        sgd.step()
        running.append(loss.item())
    report = per_class_report()
    print(f"epoch {epoch}: train {sum(running) / len(running):.3f} | test by class", *(f"{v:.2f}" for v in report))
