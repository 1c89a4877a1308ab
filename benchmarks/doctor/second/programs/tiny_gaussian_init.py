import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


def weights_init(m):
    if isinstance(m, (nn.Conv2d, nn.Linear)):
        m.weight.data.normal_(0.0, 0.002)
        m.bias.data.fill_(0)


class LeNetish(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 10))

    def forward(self, x):
        return self.classifier(torch.flatten(self.features(x), 1))


torch.manual_seed(0)
d = load_digits()
x = torch.tensor((d.images - d.images.mean()) / d.images.std()).float().unsqueeze(1)
y = torch.tensor(d.target)
model = LeNetish()
model.apply(weights_init)
opt = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
for epoch in range(7):
    model.train()
    for xb, yb in DataLoader(TensorDataset(x[:1500], y[:1500]), batch_size=50, shuffle=True):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        out = model(x[1500:])
    print(epoch, loss.item(), nn.functional.cross_entropy(out, y[1500:]).item(), (out.argmax(1) == y[1500:]).float().mean().item())
