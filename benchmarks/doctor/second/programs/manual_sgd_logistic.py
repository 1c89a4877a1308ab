import torch
from sklearn.datasets import load_breast_cancer

torch.manual_seed(0)
X, y = load_breast_cancer(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0)).float()
y = torch.tensor(y).float()
perm = torch.randperm(len(y))
train, test = perm[:450], perm[450:]
w = torch.zeros(30, requires_grad=True)
b = torch.zeros((), requires_grad=True)
for it in range(400):
    rows = train[torch.randint(0, 450, (50,))]
    loss = torch.nn.functional.binary_cross_entropy_with_logits(X[rows] @ w + b, y[rows]) + 1e-3 * w.square().sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad = None
        b.grad = None
    if it % 80 == 0:
        with torch.no_grad():
            acc = ((X[test] @ w + b > 0).float() == y[test]).float().mean()
        print(it, loss.item(), acc.item())
