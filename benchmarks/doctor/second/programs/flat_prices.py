import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
n = 1200
area = torch.normal(80.0, 25.0, (n, 1)).clamp(20)
year = torch.randint(1900, 2024, (n, 1)).float()
income = torch.normal(32000.0, 9000.0, (n, 1))
price = 2.1 * (area - 80) / 25 + 0.6 * (year - 1960) / 36 + 0.9 * (income - 32000) / 9000 + 0.3 * torch.randn(n, 1)
X = torch.cat([area, year, income], dim=1)
ds = TensorDataset(X[:1000], price[:1000])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 32)
        self.fc2 = nn.Linear(32, 1)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(20):
    net.train()
    for xb, yb in DataLoader(ds, batch_size=50, shuffle=True):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(xb), yb)
        loss.backward()
        opt.step()
    if epoch % 5 == 4:
        net.eval()
        with torch.no_grad():
            print(epoch + 1, loss.item(), nn.functional.mse_loss(net(X[1000:]), price[1000:]).item(), "var", price.var().item())
