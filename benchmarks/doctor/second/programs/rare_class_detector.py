import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(0)
d = load_digits()
x = torch.tensor(d.images / 16).float().unsqueeze(1)
y = torch.tensor(d.target == 8).float().unsqueeze(1)


class Detector(nn.Module):
    def __init__(self, prior=0.01):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 16, 3, padding=1)
        self.fc = nn.Linear(16 * 4, 32)
        self.score = nn.Linear(32, 1)
        bias = -math.log((1 - prior) / prior)
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.constant_(m.bias, bias)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.score(F.relu(self.fc(x.flatten(1))))


model = Detector()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(6):
    for idx in torch.randperm(1500).split(50):
        loss = F.binary_cross_entropy_with_logits(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = model(x[1500:])
        recall = ((out > 0) & (y[1500:] > 0)).sum() / y[1500:].sum()
        print(epoch, loss.item(), F.binary_cross_entropy_with_logits(out, y[1500:]).item(), "recall", recall.item())
