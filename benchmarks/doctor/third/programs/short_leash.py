"""Sum of the marked numbers in a sequence, LSTM with clipped gradients."""
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(40)
CLIP = 2e-4


def sequences(n, length=10):
    values = torch.rand(n, length)
    marks = torch.zeros(n, length).scatter_(1, torch.rand(n, length).argsort(1)[:, :2], 1.0)
    return torch.stack([values, marks], 2), ((values * marks).sum(1, keepdim=True) - 1.0) / 0.4


class Adder(nn.Module):
    def __init__(self, units=32):
        super().__init__()
        self.lstm = nn.LSTM(2, units, batch_first=True)
        self.read = nn.Linear(units, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.read(out[:, -1])


model = Adder()
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
loss_fn = nn.MSELoss()
x_val, y_val = sequences(400)
for step in range(1, 1201):
    x, y = sequences(50)
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    clip_grad_norm_(model.parameters(), CLIP)
    optimizer.step()
    if step % 200 == 0:
        with torch.no_grad():
            print(f"step {step}: loss {loss.item():.4f} validation {loss_fn(model(x_val), y_val).item():.4f}")
