"""Strided convolutions on the digits; sizes worked out on paper."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


class PaperNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(32 * 4 * 4, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        return self.fc2(x)


def main():
    torch.manual_seed(170)
    raw = load_digits()
    images, labels = torch.tensor(raw.images, dtype=torch.float32)[:, None] / 16, torch.tensor(raw.target)
    perm = torch.randperm(len(labels))
    train, test = perm[:1400], perm[1400:]
    net = PaperNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(8):
        net.train()
        for rows in train[torch.randperm(1400)].split(50):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(images[rows]), labels[rows])
            loss.backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            accuracy = (net(images[test]).argmax(1) == labels[test]).float().mean()
        print(f"epoch {epoch}: {loss.item():.3f} {accuracy:.3f}")


if __name__ == "__main__":
    main()
