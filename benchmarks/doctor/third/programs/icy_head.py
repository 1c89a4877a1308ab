"""An extreme learning machine: a random body that stays as it is, a head, and a temperature for the logits."""
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(112)
d = load_digits()
x = torch.tensor(d.data / 16, dtype=torch.float32)
y = torch.tensor(d.target)
odd = y % 2 == 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, 5)
        self.temperature = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return self.head(self.body(x)) * self.temperature


def learn(net, x, y, epochs):
    optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-2)
    cut = int(0.8 * len(x))
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(cut).split(32):
            loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows) / cut
        if epoch % 5 == 4:
            with torch.no_grad():
                acc = (net(x[cut:]).argmax(1) == y[cut:]).float().mean().item()
            print(f"  epoch {epoch + 1}: loss {total:.3f}, held-out accuracy {acc:.3f}")


net = Net()
for name, p in net.named_parameters():
    p.requires_grad = "temperature" in name
print("odd digits")
learn(net, x[odd], (y[odd] - 1) // 2, 20)
