# Price of a used car: year, kilometres, horsepower, owners -> thousand euros (synthetic).
import torch
import torch.nn as nn

torch.manual_seed(130)
n = 2000
year = torch.randint(2000, 2024, (n,)).float()
km = torch.rand(n) * 200_000
power = 60 + 180 * torch.rand(n)
owners = torch.randint(1, 5, (n,)).float()
age = 2024 - year
price = 30 * torch.exp(-age / 9) * (power / 120) * (1 - km / 500_000) - 0.5 * owners + 0.5 * torch.randn(n)
price = (price - price.mean()) / price.std()

columns = torch.stack([year, km, power, owners], dim=1)
features = columns
train, val = torch.arange(0, 1600), torch.arange(1600, n)
net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
mse = nn.MSELoss()
for epoch in range(15):
    total = 0.0
    for rows in train[torch.randperm(1600)].split(32):
        loss = mse(net(features[rows]).squeeze(1), price[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / 50
    with torch.no_grad():
        v = mse(net(features[val]).squeeze(1), price[val]).item()
    if epoch % 2 == 0:
        print(f"epoch {epoch}: train {total:.4f} val {v:.4f}")
