"""Decayed sum of a long noisy signal, a ReLU recurrent net in the style of IRNN, trained with plain SGD."""
import torch
from torch import nn

torch.manual_seed(70)
T, UNITS = 60, 40


def signals(n):
    s = torch.randn(n, T)
    decay = 0.93 ** torch.arange(T - 1, -1, -1)
    return s.unsqueeze(2), (s * decay).sum(1, keepdim=True) / decay.norm()


class IRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(1, UNITS, nonlinearity="relu", batch_first=True)
        self.out = nn.Linear(UNITS, 1)
        nn.init.eye_(self.rnn.weight_hh_l0)
        nn.init.normal_(self.rnn.weight_ih_l0, std=0.15)
        nn.init.zeros_(self.rnn.bias_ih_l0)
        nn.init.zeros_(self.rnn.bias_hh_l0)

    def forward(self, s):
        states, _ = self.rnn(s)
        return self.out(states[:, -1])


model = IRNN()
optimizer = torch.optim.SGD(model.parameters(), lr=0.03)
x_val, y_val = signals(300)
for step in range(1, 401):
    x, y = signals(40)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        with torch.no_grad():
            val = nn.functional.mse_loss(model(x_val), y_val).item()
        print(f"step {step:4d} loss {loss.item():.4f} validation {val:.4f} variance {y_val.var().item():.2f}")
