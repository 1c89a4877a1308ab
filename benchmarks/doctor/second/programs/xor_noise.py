import torch
import torch.nn as nn

torch.manual_seed(1)
points = torch.rand(800, 2) * 2 - 1
quadrant = ((points[:, 0] > 0) ^ (points[:, 1] > 0)).long()


class XOR(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(2, 24)
        self.l2 = nn.Linear(24, 2)

    def forward(self, x):
        return self.l2(torch.tanh(self.l1(x)))


clf = XOR()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(clf.parameters(), lr=0.02)
for epoch in range(250):
    optimizer.zero_grad()
    scores = clf(points[:640])
    loss = criterion(scores, quadrant[:640])
    loss.backward()
    optimizer.step
    if epoch % 50 == 0:
        print(f"Epoch {epoch} -- loss {loss.item():.4f}")
with torch.no_grad():
    scores = clf(points[640:])
    print("val", criterion(scores, quadrant[640:]).item(), (scores.argmax(-1) == quadrant[640:]).float().mean().item())
