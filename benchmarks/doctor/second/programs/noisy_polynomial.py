import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.rand(160, 3) * 2 - 1
y = (x[:, 0] ** 2 - x[:, 1]).unsqueeze(1) + 0.7 * torch.randn(160, 1)
train_set, val_set = TensorDataset(x[:60], y[:60]), TensorDataset(x[60:], y[60:])
model = nn.Sequential(
    nn.Linear(3, 200), nn.GELU(),
    nn.Linear(200, 200), nn.GELU(),
    nn.Linear(200, 1),
)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for epoch in range(120):
    for xb, yb in DataLoader(train_set, batch_size=15, shuffle=True):
        loss = (model(xb) - yb).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        train_loss = (model(x[:60]) - y[:60]).square().mean().item()
        val_loss = (model(x[60:]) - y[60:]).square().mean().item()
    if epoch % 15 == 14:
        print(epoch + 1, round(train_loss, 4), round(val_loss, 4))
