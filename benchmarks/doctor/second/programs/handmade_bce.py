import torch
from sklearn.datasets import make_blobs

torch.manual_seed(0)
X, y = make_blobs(800, centers=2, cluster_std=1.0, random_state=4)
X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=torch.float32)
y = torch.tensor(y, dtype=torch.float32).unsqueeze(1)

W1 = torch.nn.Parameter(torch.randn(2, 30) * 0.5)
b1 = torch.nn.Parameter(torch.zeros(30))
W2 = torch.nn.Parameter(torch.randn(30, 1) * 0.2)
b2 = torch.nn.Parameter(torch.zeros(1))


def predict(x):
    h = torch.relu(x @ W1 + b1)
    return torch.sigmoid(h @ W2 + b2)


def bce(p, t):
    return -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()


opt = torch.optim.Adam([W1, b1, W2, b2], lr=0.05)
for epoch in range(400):
    sel = torch.randint(0, 700, (64,))
    loss = bce(predict(X[sel]), y[sel])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 50 == 0 or epoch == 399:
        with torch.no_grad():
            p = predict(X[700:])
            print(epoch, loss.item(), "acc", ((p > 0.5) == (y[700:] > 0.5)).float().mean().item())
