import torch
import torch.nn as nn

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self, dims):
        super(MLP, self).__init__()
        self.hidden = []
        for k in range(len(dims) - 2):
            self.hidden.append(nn.Linear(dims[k], dims[k + 1]))
        self.out = nn.Linear(dims[-2], dims[-1])

    def forward(self, x):
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.out(x)


# distance between two points on the sphere from their angles
ang = torch.rand(2500, 4) * torch.tensor([3.1416, 6.2832, 3.1416, 6.2832])
p = lambda a, b: torch.stack([a.sin() * b.cos(), a.sin() * b.sin(), a.cos()], 1)
target = (p(ang[:, 0], ang[:, 1]) * p(ang[:, 2], ang[:, 3])).sum(1, keepdim=True)
inputs = (ang - ang.mean(0)) / ang.std(0)
model = MLP([4, 12, 12, 1])
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(600):
    i = torch.randint(0, 2200, (128,))
    loss = nn.functional.mse_loss(model(inputs[i]), target[i])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0 or step == 599:
        print(step, loss.item(), nn.functional.mse_loss(model(inputs[2200:]), target[2200:]).item())
