import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split


class DeepNet(nn.Module):
    def __init__(self, n_in=64, n_hidden=40, n_out=10, depth=8):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(n_in if i == 0 else n_hidden, n_hidden) for i in range(depth)])
        self.act = nn.Sigmoid()
        self.head = nn.Linear(n_hidden, n_out)

    def forward(self, x):
        for layer in self.layers:
            x = self.act(layer(x))
        return self.head(x)


torch.manual_seed(0)
d = load_digits()
ds = TensorDataset(torch.tensor(d.data / 8 - 1, dtype=torch.float32), torch.tensor(d.target))
train_set, val_set = random_split(ds, [1500, 297])
net = DeepNet()
optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
criterion = nn.CrossEntropyLoss()
for epoch in range(10):
    for x, y in DataLoader(train_set, batch_size=50, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        x, y = next(iter(DataLoader(val_set, batch_size=300)))
        print(epoch, loss.item(), criterion(net(x), y).item(), (net(x).argmax(1) == y).float().mean().item())
