import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(91)


class SharpTanh(nn.Module):
    """A tanh with a slope, 'to decide faster'."""

    def __init__(self, slope):
        super().__init__()
        self.slope = slope

    def forward(self, x):
        return torch.tanh(self.slope * x)


def network(slope):
    return nn.Sequential(
        nn.Linear(64, 64), SharpTanh(slope), nn.Linear(64, 64), SharpTanh(slope), nn.Linear(64, 64), SharpTanh(slope), nn.Linear(64, 10)
    )


digits = load_digits()
mean, std = digits.data.mean(), digits.data.std()
x = torch.tensor((digits.data - mean) / std, dtype=torch.float32)
y = torch.tensor(digits.target)
perm = torch.randperm(len(x))
x, y = x[perm], y[perm]
model = network(slope=60.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
for epoch in range(15):
    epoch_loss = 0.0
    for rows in torch.randperm(1500).split(50):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() / 30
    if epoch % 3 == 2:
        with torch.no_grad():
            out = model(x[1500:])
        print(f"epoch {epoch + 1}: {epoch_loss:.3f}  held-out accuracy {(out.argmax(1) == y[1500:]).float().mean():.3f}")
