import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(0)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        return F.relu(self.conv2(x)).flatten(1)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_in = nn.LayerNorm([8, 8])
        self.backbone = Backbone()
        self.head = nn.Linear(32 * 16, 10)

    def forward(self, x):
        return self.head(self.backbone(self.norm_in(x)))


d = load_digits()
x = torch.tensor(d.images / 16).float().unsqueeze(1)
y = torch.tensor(d.target)
model = Classifier()
# train only the classifier on top (and the norm)
for name, param in model.named_parameters():
    if not name.startswith(("norm", "classifier", "fc")):
        param.requires_grad = False
print("trainable:", sum(p.numel() for p in model.parameters() if p.requires_grad))
opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=5e-3)
for epoch in range(6):
    model.train()
    for b in torch.randperm(1500).split(50):
        loss = F.cross_entropy(model(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        out = model(x[1500:])
    print(epoch, loss.item(), F.cross_entropy(out, y[1500:]).item(), (out.argmax(1) == y[1500:]).float().mean().item())
