import torch
from torch import nn


class ByColumn(nn.Module):
    """One little net per column, outputs added up."""

    def __init__(self, columns):
        super().__init__()
        self.nets = {c: nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)) for c in columns}

    def forward(self, table):
        return sum(self.nets[c](table[c]) for c in self.nets)


torch.manual_seed(0)
table = {"temp": torch.randn(500, 1), "wind": torch.randn(500, 1), "rain": torch.randn(500, 1)}
y = table["temp"] ** 2 - table["wind"].abs() + 0.3 * table["rain"]
gam = ByColumn(list(table))
opt = torch.optim.Adam(gam.parameters(), lr=0.01)
for e in range(300):
    loss = nn.functional.mse_loss(gam(table), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
