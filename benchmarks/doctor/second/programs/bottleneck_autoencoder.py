import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
X = torch.tensor(load_digits().data / 16.0, dtype=torch.float32)
X = X[torch.randperm(len(X))]
train, val = X[:1500], X[1500:]


class Autoencoder(nn.Module):
    def __init__(self, width=2, code=1):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, width), nn.ELU(), nn.Linear(width, code))
        self.dec = nn.Sequential(nn.Linear(code, width), nn.ELU(), nn.Linear(width, 64), nn.Sigmoid())

    def forward(self, x):
        return self.dec(self.enc(x))


ae = Autoencoder()
opt = torch.optim.Adam(ae.parameters(), lr=5e-3)
for epoch in range(20):
    for b in torch.randperm(1500).split(50):
        loss = nn.functional.mse_loss(ae(train[b]), train[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 4 == 3:
        with torch.no_grad():
            print(epoch + 1, loss.item(), nn.functional.mse_loss(ae(val), val).item())
