import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
d = load_digits()
x = torch.tensor(d.images / 16 - 0.3, dtype=torch.float32).unsqueeze(1)
y = torch.tensor(d.target)
train = DataLoader(TensorDataset(x[:1500], y[:1500]), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(x[1500:], y[1500:]), batch_size=297)
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
scaler = torch.amp.GradScaler(device.type, enabled=device.type == "cuda")
for epoch in range(8):
    model.train()
    for xb, yb in train:
        xb, yb = xb.to(device), yb.to(device)
        opt.zero_grad()
        with torch.autocast(device.type, dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(xb), yb)
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
    model.eval()
    with torch.no_grad():
        for xb, yb in test:
            out = model(xb.to(device)).float()
            print(epoch, loss.item(), nn.functional.cross_entropy(out, yb).item(), (out.argmax(1) == yb).float().mean().item())
