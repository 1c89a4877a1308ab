import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
digits = load_digits()
X = torch.tensor(digits.data / 16).float()
y = torch.tensor(digits.target)
model = nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10))
velocity = [torch.zeros_like(p) for p in model.parameters()]
lr, mu = 0.1, 0.9
for step in range(400):
    b = torch.randint(0, 1500, (50,))
    loss = nn.functional.cross_entropy(model(X[b]), y[b])
    loss.backward()
    with torch.no_grad():
        for p, v in zip(model.parameters(), velocity):
            v.mul_(mu).add_(p.grad)
            p.sub_(lr * v)
    if step % 80 == 0 or step == 399:
        with torch.no_grad():
            out = model(X[1500:])
            print(step, loss.item(), nn.functional.cross_entropy(out, y[1500:]).item(), (out.argmax(1) == y[1500:]).float().mean().item())
