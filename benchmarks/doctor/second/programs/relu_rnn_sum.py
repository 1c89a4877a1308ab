import torch
from torch import nn


class IRNN(nn.Module):
    def __init__(self, hidden_size=32):
        super().__init__()
        self.cell = nn.RNNCell(2, hidden_size, nonlinearity="relu")
        nn.init.eye_(self.cell.weight_hh)
        nn.init.zeros_(self.cell.bias_hh)
        nn.init.zeros_(self.cell.bias_ih)
        self.fc = nn.Linear(hidden_size, 1)
        self.hidden_size = hidden_size

    def forward(self, x):
        h = torch.zeros(x.size(0), self.hidden_size)
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
        return self.fc(h)


def data(n, T=50):
    v, m = torch.rand(n, T), torch.zeros(n, T)
    pos = torch.rand(n, T).topk(2, dim=1).indices
    m.scatter_(1, pos, 1.0)
    return torch.stack((v, m), 2), (v * m).sum(1, keepdim=True)


torch.manual_seed(0)
model = IRNN()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
for i in range(250):
    x, y = data(32)
    loss = nn.MSELoss()(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 50 == 0 or i == 249:
        print(i, loss.item())
