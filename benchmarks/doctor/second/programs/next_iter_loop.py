import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
d = load_digits()
shuffle = torch.randperm(len(d.target))
x = torch.tensor(d.images / 16, dtype=torch.float32).unsqueeze(1)[shuffle]
y = torch.tensor(d.target)[shuffle]
loader = DataLoader(TensorDataset(x[:1500], y[:1500]), batch_size=32)
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
ce = nn.CrossEntropyLoss()
for step in range(300):
    images, labels = next(iter(loader))
    opt.zero_grad()
    loss = ce(model(images), labels)
    loss.backward()
    opt.step()
    if step % 60 == 0 or step == 299:
        with torch.no_grad():
            out = model(x[1500:])
            print(step, loss.item(), ce(out, y[1500:]).item(), (out.argmax(1) == y[1500:]).float().mean().item())
