# Nesterov momentum and backprop, nothing from torch.optim, nothing from torch.nn.
import torch
from sklearn.datasets import load_iris

torch.manual_seed(213)
X, t = load_iris(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=torch.float32)
t = torch.tensor(t)
i = torch.randperm(150)
train, test = i[:110], i[110:]

theta = [0.5 * torch.randn(4, 12), torch.zeros(12), 0.3 * torch.randn(12, 3), torch.zeros(3)]
speed = [torch.zeros_like(w) for w in theta]


def logits(x, w):
    return torch.tanh(x @ w[0] + w[1]) @ w[2] + w[3]


def nll(z, t):
    return (z.logsumexp(1) - z[torch.arange(len(t)), t]).mean()


for epoch in range(20):
    seen = 0.0
    for rows in train[torch.randperm(110)].split(11):
        ahead = [(w + 0.9 * v).requires_grad_() for w, v in zip(theta, speed)]
        loss = nll(logits(X[rows], ahead), t[rows])
        loss.backward()
        speed = [0.9 * v - 0.02 * a.grad for v, a in zip(speed, ahead)]
        theta = [w + v for w, v in zip(theta, speed)]
        seen += loss.item() / 10
    z = logits(X[test], theta)
    if epoch % 3 == 1:
        print(f"{epoch + 1}: {seen:.3f} test {nll(z, t[test]).item():.3f} accuracy {(z.argmax(1) == t[test]).float().mean().item():.3f}")
