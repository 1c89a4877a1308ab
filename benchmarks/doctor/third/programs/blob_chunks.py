# Four gaussian clouds, one after the other, consumed in chunks.
import torch

torch.manual_seed(141)
centres = torch.tensor([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
X = torch.cat([c + 0.7 * torch.randn(300, 2) for c in centres])
Y = torch.arange(4).repeat_interleave(300)
Xv = torch.cat([c + 0.7 * torch.randn(75, 2) for c in centres])
Yv = torch.arange(4).repeat_interleave(75)
order = torch.arange(1200)

W = (0.3 * torch.randn(2, 20)).requires_grad_()
b = torch.zeros(20, requires_grad=True)
V = (0.3 * torch.randn(20, 4)).requires_grad_()
c = torch.zeros(4, requires_grad=True)
opt = torch.optim.SGD([W, b, V, c], lr=0.6, momentum=0.5)


def chunks():
    for i in range(0, len(order), 20):
        rows = order[i : i + 20]
        yield X[rows], Y[rows]


for sweep in range(12):
    s = 0.0
    for xb, yb in chunks():
        z = torch.relu(xb @ W + b) @ V + c
        loss = torch.nn.functional.cross_entropy(z, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 60
    with torch.no_grad():
        z = torch.relu(Xv @ W + b) @ V + c
    print(f"sweep {sweep}: {s:.3f} held-out loss {torch.nn.functional.cross_entropy(z, Yv).item():.3f} accuracy {(z.argmax(1) == Yv).float().mean():.3f}")
