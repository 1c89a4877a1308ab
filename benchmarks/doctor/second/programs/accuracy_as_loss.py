import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(4)
digits = load_digits()
imgs = torch.tensor(digits.images / 16, dtype=torch.float32).unsqueeze(1)
labels = torch.tensor(digits.target)
cnn = nn.Sequential(
    nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Conv2d(12, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(12 * 16, 10)
)
opt = torch.optim.Adam(cnn.parameters())
for step in range(250):
    idx = torch.randint(0, 1400, (64,))
    out = cnn(imgs[idx])
    pred = out.argmax(dim=1)
    err = (pred != labels[idx]).float().mean()
    loss = err.requires_grad_(True)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(step, "error rate", err.item())
with torch.no_grad():
    print("test accuracy", (cnn(imgs[1400:]).argmax(1) == labels[1400:]).float().mean().item())
