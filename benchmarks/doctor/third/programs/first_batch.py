"""Iteration-based training of a digit classifier."""
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ITERATIONS = 400
torch.manual_seed(142)
raw = load_digits()
xa, xb, ya, yb = train_test_split(raw.data / 16, raw.target, test_size=0.3, random_state=142)
train = TensorDataset(torch.tensor(xa, dtype=torch.float32), torch.tensor(ya))
x_test, y_test = torch.tensor(xb, dtype=torch.float32), torch.tensor(yb)
loader = DataLoader(train, batch_size=32)
net = nn.Sequential(nn.Linear(64, 40), nn.ReLU(), nn.Linear(40, 10))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
batches = iter(loader)
for iteration in range(1, ITERATIONS + 1):
    x, y = next(iter(loader))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    if iteration % 80 == 0:
        with torch.no_grad():
            out = net(x_test)
        test = nn.functional.cross_entropy(out, y_test).item()
        print(f"iteration {iteration}: loss {loss.item():.4f} test loss {test:.4f} accuracy {(out.argmax(1) == y_test).float().mean():.3f}")
