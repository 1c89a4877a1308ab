"""Small noisy sample, big network, many epochs."""
import torch
from torch import nn

torch.manual_seed(160)
x = torch.randn(240, 10)
y = 0.7 * x[:, 0] - 0.5 * x[:, 1] + 0.4 * x[:, 2] + 0.6 * torch.randn(240)
x_train, y_train, x_val, y_val = x[:120], y[:120], x[120:], y[120:]

WIDTH, EPOCHS = 256, 80
model = nn.Sequential(nn.Linear(10, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()

for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for rows in torch.randperm(120).split(20):
        loss = criterion(model(x_train[rows]).squeeze(1), y_train[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / 6
    model.eval()
    with torch.no_grad():
        val = criterion(model(x_val).squeeze(1), y_val).item()
    if epoch % 8 == 7:
        print(f"epoch {epoch + 1:3d}: train {total:.4f}  validation {val:.4f}")
