# Is a point inside the ring?  Five layers should be plenty.
import torch
import torch.nn as nn
from sklearn.datasets import make_circles
from sklearn.model_selection import train_test_split

torch.manual_seed(113)
X, y = make_circles(2000, factor=0.4, noise=0.1, random_state=113)
X = X / X.std()
Xt, Xv, yt, yv = (torch.tensor(a, dtype=torch.float32) for a in train_test_split(X, y, test_size=0.2, random_state=113))


class Ring(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 32)
        self.fc2 = nn.Linear(32, 32)
        self.fc3 = nn.Linear(32, 1)

    def forward(self, x):
        h = self.fc1(x)
        h = self.fc2(h)
        return self.fc3(h).squeeze(-1)


net = Ring()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(12):
    for rows in torch.randperm(len(Xt)).split(50):
        opt.zero_grad()
        loss = bce(net(Xt[rows]), yt[rows])
        loss.backward()
        opt.step()
    with torch.no_grad():
        z = net(Xv)
        print(f"epoch {epoch:2d} loss {loss.item():.3f} val {bce(z, yv).item():.3f} acc {((z > 0).float() == yv).float().mean().item():.3f}")
