import torch
import torch.nn as nn

torch.manual_seed(0)
T = 10


def adding(n):
    v = torch.rand(n, T)
    m = torch.zeros(n, T)
    for row in m:
        row[torch.randperm(T)[:2]] = 1
    return torch.stack([v, m], -1), (v * m).sum(1, keepdim=True)


lstm = nn.LSTM(2, 32, batch_first=True)
lin = nn.Linear(32, 1)
params = [*lstm.parameters(), *lin.parameters()]
optimizer = torch.optim.SGD(params, lr=1e-5)
for step in range(400):
    x, y = adding(32)
    h, _ = lstm(x)
    loss = nn.functional.mse_loss(lin(h[:, -1]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0 or step == 399:
        print(step, round(loss.item(), 4))
