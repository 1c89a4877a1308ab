# Ten digits, five layers, weights "near zero" so that nothing is prejudged.
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(106)
STD = 0.003


def layer(i, o):
    fc = nn.Linear(i, o)
    nn.init.normal_(fc.weight, std=STD)
    nn.init.zeros_(fc.bias)
    return fc


digits = load_digits()
x = torch.tensor((digits.data - 4.9) / 6.0, dtype=torch.float32)
y = torch.tensor(digits.target)
mix = torch.randperm(len(y))
train, test = mix[:1400], mix[1400:]
body = nn.Sequential(layer(64, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 10))
opt = torch.optim.SGD(body.parameters(), lr=0.1)
for epoch in range(15):
    s = 0.0
    for rows in train[torch.randperm(1400)].split(40):
        loss = nn.functional.cross_entropy(body(x[rows]), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() * len(rows) / 1400
    if epoch % 3 == 2:
        with torch.no_grad():
            print(epoch + 1, f"{s:.4f}", "test accuracy", (body(x[test]).argmax(1) == y[test]).float().mean().item())
