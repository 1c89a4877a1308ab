"""Everything by hand: weights, squared error, updates."""

import torch

torch.manual_seed(9)
x = torch.linspace(-2, 2, 400).unsqueeze(1)
t = torch.sin(3 * x) + 0.05 * torch.randn_like(x)
w1 = (torch.randn(1, 40) * 2).requires_grad_()
b1 = torch.randn(40).requires_grad_()
w2 = (torch.randn(40, 1) / 40**0.5).requires_grad_()
b2 = torch.zeros(1, requires_grad=True)
weights = [w1, b1, w2, b2]
for step in range(600):
    rows = torch.randint(0, 400, (64,))
    hidden = torch.tanh(x[rows] @ w1 + b1)
    out = hidden @ w2 + b2
    loss = ((out - t[rows]) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for w in weights:
            w -= 0.05 * w.grad
            w.grad = None
    if step % 200 == 199:
        print(step, loss.item())
