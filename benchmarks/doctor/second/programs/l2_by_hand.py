import torch
import torch.nn as nn
import torch.nn.functional as F


class Disc(nn.Module):
    """Ring or filled disc?"""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 5)
        self.fc1 = nn.Linear(8 * 36, 32)
        self.fc2 = nn.Linear(32, 2)

    def forward(self, x):
        x = F.max_pool2d(torch.relu(self.conv(x)), 2)
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


def draw(n):
    yy, xx = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
    c = torch.rand(n, 2, 1, 1) * 6 + 5
    r = ((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2).sqrt()
    label = torch.randint(0, 2, (n,))
    ring = (r < 4) & ((r > 2) | (label == 1).view(-1, 1, 1))
    return (ring.float() + 0.3 * torch.randn(n, 16, 16)).unsqueeze(1), label


torch.manual_seed(0)
net = Disc()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=0.3)
for step in range(300):
    x, y = draw(32)
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    if step % 60 == 0:
        print(step, loss.item())
net.eval()
with torch.no_grad():
    x, y = draw(500)
    print("test", F.cross_entropy(net(x), y).item(), (net(x).argmax(1) == y).float().mean().item())
