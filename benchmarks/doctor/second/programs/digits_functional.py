# neural net from scratch on the 8x8 digits, no nn.Module
import torch
from sklearn.datasets import load_digits

g = torch.Generator().manual_seed(0)
data = load_digits()
x_all = torch.from_numpy(data.images).float().flatten(1) / 16
y_all = torch.from_numpy(data.target)
x_train, y_train, x_valid, y_valid = x_all[:1500], y_all[:1500], x_all[1500:], y_all[1500:]

w1 = (torch.randn(64, 50, generator=g) / 8).requires_grad_()
b1 = torch.zeros(50, requires_grad=True)
w2 = (torch.randn(50, 10, generator=g) / 7).requires_grad_()
b2 = torch.zeros(10, requires_grad=True)
params = [w1, b1, w2, b2]


def log_softmax(z):
    return z - z.exp().sum(0).log()


def net(xb):
    return log_softmax((xb @ w1 + b1).relu() @ w2 + b2)


def nll(lp, t):
    return -lp[range(t.shape[0]), t].mean()


bs, lr = 64, 0.5
for epoch in range(12):
    order = torch.randperm(1500, generator=g)
    for i in range(0, 1500, bs):
        idx = order[i:i + bs]
        loss = nll(net(x_train[idx]), y_train[idx])
        loss.backward()
        with torch.no_grad():
            for p in params:
                p -= p.grad * lr
                p.grad.zero_()
    with torch.no_grad():
        pred = net(x_valid)
        print(epoch, loss.item(), "valid", nll(pred, y_valid).item(), (pred.argmax(1) == y_valid).float().mean().item())
