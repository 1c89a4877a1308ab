# Digits once more; parameters are drawn (or set) by hand.
import numpy as np
import torch
from sklearn.datasets import load_digits

torch.manual_seed(103)
np.random.seed(103)
data = load_digits()
X = torch.tensor(data.data / 16.0, dtype=torch.float32)
t = torch.tensor(data.target)
keep = np.random.permutation(len(X))
X, t = X[keep], t[keep]

H = 50
params = {
    "W1": torch.full((64, H), 0.05),
    "b1": torch.zeros(H),
    "W2": torch.full((H, 10), 0.05),
    "b2": torch.zeros(10),
}
for v in params.values():
    v.requires_grad_(True)


def model(x, p):
    return torch.tanh(x @ p["W1"] + p["b1"]) @ p["W2"] + p["b2"]


velocity = {k: torch.zeros_like(v) for k, v in params.items()}
for epoch in range(12):
    for rows in np.array_split(np.random.permutation(1450), 29):
        loss = torch.nn.functional.cross_entropy(model(X[rows], params), t[rows])
        loss.backward()
        with torch.no_grad():
            for k, v in params.items():
                velocity[k].mul_(0.9).sub_(0.02 * v.grad)
                v.add_(velocity[k])
                v.grad = None
    with torch.no_grad():
        z = model(X[1450:], params)
        print(f"epoch {epoch:2d}: train {loss.item():.3f} test {torch.nn.functional.cross_entropy(z, t[1450:]).item():.3f} acc {(z.argmax(1) == t[1450:]).float().mean().item():.3f}")
