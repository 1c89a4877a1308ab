"""Rain tomorrow?  Four pressure fields in, one answer out; heavily regularised."""
import torch
from torch import nn


class RainNet(nn.Module):
    def __init__(self, inputs, hidden, drop):
        super().__init__()
        self.hidden1 = nn.Linear(inputs, hidden)
        self.hidden2 = nn.Linear(hidden, hidden)
        self.hidden3 = nn.Linear(hidden, hidden)
        self.answer = nn.Linear(hidden, 2)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        x = self.drop(torch.relu(self.hidden1(x)))
        x = self.drop(torch.relu(self.hidden2(x)))
        x = self.drop(torch.relu(self.hidden3(x)))
        return self.answer(x)


def weather(n, g):
    x = torch.randn(n, 12, generator=g)
    front = x[:, 0] * x[:, 3] + torch.sin(2 * x[:, 5]) + 0.3 * torch.randn(n, generator=g)
    return x, (front > 0).long()


torch.manual_seed(126)
g = torch.Generator().manual_seed(126)
x, y = weather(2000, g)
xv, yv = weather(500, g)
model = RainNet(12, 40, drop=0.92)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(10):
    model.train()
    total = 0.0
    for rows in torch.randperm(2000, generator=g).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / 50
    model.eval()
    with torch.no_grad():
        out = model(xv)
    print(f"epoch {epoch}: {total:.3f} validation {nn.functional.cross_entropy(out, yv).item():.3f} right {(out.argmax(1) == yv).float().mean().item():.3f}")
