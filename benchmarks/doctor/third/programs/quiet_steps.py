"""Parity of three signs hidden among eight inputs, with a cosine schedule."""
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR

torch.manual_seed(2)
bits = torch.randint(0, 2, (2400, 8)).float()
label = (bits[:, 1] + bits[:, 4] + bits[:, 6]) % 2
bits = bits * 2 - 1
train_x, train_y, val_x, val_y = bits[:2000], label[:2000], bits[2000:], label[2000:]

model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
EPOCHS = 12
scheduler = CosineAnnealingLR(optimizer, T_max=EPOCHS * 40)
bce = nn.BCEWithLogitsLoss()

for epoch in range(EPOCHS):
    for rows in torch.randperm(2000).split(50):
        optimizer.zero_grad()
        loss = bce(model(train_x[rows]).squeeze(1), train_y[rows])
        loss.backward()
        scheduler.step()
    with torch.no_grad():
        z = model(val_x).squeeze(1)
        print(f"epoch {epoch + 1:2d} val loss {bce(z, val_y).item():.3f} acc {((z > 0) == (val_y > 0.5)).float().mean().item():.3f}")
