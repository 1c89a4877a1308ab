import torch
from sklearn.datasets import load_iris

torch.manual_seed(0)
X, y = load_iris(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=torch.float64)
y = torch.tensor(y)
W = torch.zeros(4, 3, dtype=torch.float64, requires_grad=True)
b = torch.zeros(3, dtype=torch.float64, requires_grad=True)
opt = torch.optim.LBFGS([W, b], lr=0.5, max_iter=8)


def closure():
    loss = torch.nn.functional.cross_entropy(X @ W + b, y) + 0.01 * (W ** 2).sum()
    loss.backward()
    return loss


for it in range(25):
    loss = opt.step(closure)
    if it % 4 == 0 or it == 24:
        print(it, loss.item())
