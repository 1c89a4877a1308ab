"""Three kinds of wine: a small classifier, a function for each stage, SGD with Nesterov momentum."""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn


def prepare():
    features, kinds = load_wine(return_X_y=True)
    a, b, u, v = train_test_split(features, kinds, test_size=0.3, random_state=1, stratify=kinds)
    scaler = StandardScaler()
    a = scaler.fit_transform(a)
    b = scaler.transform(b)

    def as_float(values):
        return torch.tensor(values, dtype=torch.float32)

    return as_float(a), as_float(b), torch.tensor(u), torch.tensor(v)


class WineNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden1 = nn.Linear(13, 32)
        self.hidden2 = nn.Linear(32, 16)
        self.dropout = nn.Dropout(p=0.1)
        self.final = nn.Linear(16, 3)

    def forward(self, x):
        x = F.relu(self.hidden1(x))
        x = F.relu(self.hidden2(x))
        x = self.dropout(x)
        return self.final(x)


def train_one_epoch(net, optimizer, x, y, batch_size=16):
    net.train()
    order = torch.randperm(x.shape[0])
    for k in range(0, x.shape[0], batch_size):
        chosen = order[k : k + batch_size]
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x[chosen]), y[chosen])
        loss.backward()
        optimizer.step()
    return loss.item()


@torch.no_grad()
def judge(net, x, y):
    net.eval()
    scores = net(x)
    return F.cross_entropy(scores, y).item(), (scores.argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(15)
    x_train, x_test, y_train, y_test = prepare()
    net = WineNet()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    for epoch in range(25):
        loss = train_one_epoch(net, optimizer, x_train, y_train)
        test_loss, accuracy = judge(net, x_test, y_test)
        if epoch % 5 == 4:
            print(f"{epoch}: {loss:.3f} {test_loss:.3f} {accuracy:.2f}")


main()
