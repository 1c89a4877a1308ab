import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
ACCUM = 4
X, y = load_breast_cancer(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0)).float()
ds = TensorDataset(X, torch.tensor(y))
train_ds, val_ds = random_split(ds, [456, 113])
train_dl = DataLoader(train_ds, batch_size=8, shuffle=True, drop_last=True)
val_dl = DataLoader(val_ds, batch_size=113)
model = nn.Sequential(nn.Linear(30, 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 2))
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=12)
for epoch in range(12):
    model.train()
    opt.zero_grad()
    for i, (xb, yb) in enumerate(train_dl):
        loss = nn.functional.cross_entropy(model(xb), yb) / ACCUM
        loss.backward()
        if (i + 1) % ACCUM == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        for xb, yb in val_dl:
            out = model(xb)
            print(epoch, loss.item() * ACCUM, nn.functional.cross_entropy(out, yb).item(), (out.argmax(1) == yb).float().mean().item())
