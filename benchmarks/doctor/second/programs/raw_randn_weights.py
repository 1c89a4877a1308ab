# 3-layer net, raw tensors
import torch
from sklearn.datasets import load_digits

torch.manual_seed(0)
X, Y = load_digits(return_X_y=True)
X = torch.tensor(X / 16.0, dtype=torch.float32)
X = X - X.mean(0)
Y = torch.tensor(Y)
H = 200
W1 = torch.randn(64, H, requires_grad=True)
W2 = torch.randn(H, H, requires_grad=True)
W3 = torch.randn(H, 10, requires_grad=True)
biases = [torch.zeros(H, requires_grad=True), torch.zeros(H, requires_grad=True), torch.zeros(10, requires_grad=True)]


def model(x):
    x = torch.relu(x @ W1 + biases[0])
    x = torch.relu(x @ W2 + biases[1])
    return x @ W3 + biases[2]


optimizer = torch.optim.Adam([W1, W2, W3, *biases], lr=1e-3)
for step in range(300):
    ix = torch.randint(0, 1500, (64,))
    loss = torch.nn.functional.cross_entropy(model(X[ix]), Y[ix])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0 or step == 299:
        with torch.no_grad():
            out = model(X[1500:])
            print(step, loss.item(), torch.nn.functional.cross_entropy(out, Y[1500:]).item(), (out.argmax(1) == Y[1500:]).float().mean().item())
