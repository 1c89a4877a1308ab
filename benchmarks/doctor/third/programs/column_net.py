import torch
from sklearn.datasets import load_digits

# rows are samples, as scikit-learn has it
torch.manual_seed(42)
D = load_digits()
X = torch.from_numpy(D.data).float() / 16 - 0.3
T = torch.from_numpy(D.target).long()
p = torch.randperm(len(X))
X, T = X[p], T[p]
X_tr, T_tr, X_va, T_va = X[:1400], T[:1400], X[1400:], T[1400:]

W1 = (torch.randn(64, 60) * (2 / 64) ** 0.5).requires_grad_()
b1 = torch.zeros(60, requires_grad=True)
W2 = (torch.randn(60, 10) * (2 / 60) ** 0.5).requires_grad_()
b2 = torch.zeros(10, requires_grad=True)
params = [W1, b1, W2, b2]


def scores(x):
    return torch.clamp(x @ W1 + b1, min=0) @ W2 + b2


def nll(z, t):
    logp = torch.log_softmax(z, 0)
    return -logp[torch.arange(len(t)), t].mean()


lr = 0.3
for epoch in range(20):
    order = torch.randperm(len(X_tr))
    total = 0.0
    for i in range(0, len(X_tr), 50):
        j = order[i : i + 50]
        loss = nll(scores(X_tr[j]), T_tr[j])
        grads = torch.autograd.grad(loss, params)
        with torch.no_grad():
            for w, gr in zip(params, grads):
                w -= lr * gr
        total += loss.item() * len(j)
    if epoch % 4 == 3:
        with torch.no_grad():
            z = scores(X_va)
        print(epoch + 1, round(total / len(X_tr), 4), "val", round(nll(z, T_va).item(), 4), "acc", round((z.argmax(1) == T_va).float().mean().item(), 4))
