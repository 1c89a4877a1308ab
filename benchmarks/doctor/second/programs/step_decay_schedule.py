import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
d = load_digits()
X = torch.tensor(d.images / 8 - 1, dtype=torch.float32).unsqueeze(1)
y = torch.tensor(d.target)
loader = DataLoader(TensorDataset(X[:1500], y[:1500]), batch_size=50, shuffle=True)
model = nn.Sequential(
    nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16 * 9, 64), nn.ReLU(), nn.Linear(64, 10)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
scheduler = StepLR(optimizer, step_size=5, gamma=0.5)
criterion = nn.CrossEntropyLoss()


def train(epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(loader):
        optimizer.zero_grad()
        output = model(data)
        loss = criterion(output, target)
        loss.backward()
        optimizer.step()
        scheduler.step()
    print("Train Epoch: {} Loss: {:.6f} lr {:.2g}".format(epoch, loss.item(), scheduler.get_last_lr()[0]))


def test():
    model.eval()
    with torch.no_grad():
        out = model(X[1500:])
    print("Test loss {:.4f} accuracy {:.3f}".format(criterion(out, y[1500:]).item(), (out.argmax(1) == y[1500:]).float().mean().item()))


for epoch in range(1, 11):
    train(epoch)
    test()
