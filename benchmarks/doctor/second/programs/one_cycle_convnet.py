import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
d = load_digits()
x = torch.tensor((d.images - 4.88) / 6.02).float().unsqueeze(1)
y = torch.tensor(d.target)
perm = torch.randperm(len(y))
x, y = x[perm], y[perm]
EPOCHS, BS, MAX_LR = 8, 50, 0.02
loader = DataLoader(TensorDataset(x[:1500], y[:1500]), BS, shuffle=True)
model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
    nn.Linear(32, 10),
)
opt = torch.optim.SGD(model.parameters(), lr=MAX_LR / 25, momentum=0.9, nesterov=True, weight_decay=5e-4)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, MAX_LR * 5, epochs=EPOCHS, steps_per_epoch=len(loader))
for epoch in range(EPOCHS):
    model.train()
    for xb, yb in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb, label_smoothing=0.05)
        loss.backward()
        opt.step()
        sched.step()
    model.eval()
    with torch.no_grad():
        out = model(x[1500:])
    print(epoch, loss.item(), nn.functional.cross_entropy(out, y[1500:]).item(), (out.argmax(1) == y[1500:]).float().mean().item(), sched.get_last_lr())
