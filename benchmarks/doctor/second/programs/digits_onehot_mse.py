import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(0)
np.random.seed(0)
d = load_digits()
n = len(d.target)
order = np.random.permutation(n)
images = torch.tensor(d.images[order], dtype=torch.float32)[:, None] / 16.0
labels = torch.tensor(d.target[order])
onehot = F.one_hot(labels, 10).float()


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(16 * 2 * 2, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = x.view(-1, 64)
        x = F.relu(self.fc1(x))
        return self.fc2(x)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
batch = 50
for epoch in range(8):
    for i in range(0, 1500, batch):
        optimizer.zero_grad()
        outputs = net(images[i:i + batch])
        loss = F.mse_loss(torch.softmax(outputs, dim=1), onehot[i:i + batch])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        outputs = net(images[1500:])
        acc = (outputs.argmax(1) == labels[1500:]).float().mean().item()
    print("Epoch %d loss %.4f accuracy %.3f" % (epoch + 1, loss.item(), acc))
