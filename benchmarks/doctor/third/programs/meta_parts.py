"""Skip the slow default initialisation: build on the meta device, then fill in."""
import torch
from sklearn.datasets import load_digits
from torch import nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 64)
        self.fc2 = nn.Linear(64, 64)

    def forward(self, x):
        return torch.relu(self.fc2(torch.relu(self.fc1(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.backbone(x))


def fill(module):
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            layer.reset_parameters()


torch.manual_seed(174)
with torch.device("meta"):
    model = Model()
model.backbone.to_empty(device="cpu")
fill(model)
raw = load_digits()
x, y = torch.tensor(raw.data / 16, dtype=torch.float32), torch.tensor(raw.target)
p = torch.randperm(len(y))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    for rows in p[:1400][torch.randperm(1400)].split(50):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        accuracy = (model(x[p[1400:]]).argmax(1) == y[p[1400:]]).float().mean().item()
    print(f"epoch {epoch} loss {loss.item():.3f} accuracy {accuracy:.3f}")
