"""Three Italian cultivars from thirteen measurements."""
import argparse

import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def loaders(batch_size, seed):
    wine = load_wine()
    parts = train_test_split(wine.data, wine.target, test_size=0.25, random_state=seed, stratify=wine.target)
    x_train, x_test, y_train, y_test = (torch.tensor(p) for p in parts)
    x_train, x_test = x_train.float(), x_test.float()
    make = lambda x, y, shuffle: DataLoader(TensorDataset(x, y), batch_size=batch_size, shuffle=shuffle)
    return make(x_train, y_train, True), make(x_test, y_test, False)


def evaluate(model, loader):
    with torch.no_grad():
        pairs = [(model(x), y) for x, y in loader]
    out, y = torch.cat([o for o, _ in pairs]), torch.cat([t for _, t in pairs])
    return nn.functional.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--hidden", type=int, default=20)
    args = parser.parse_args()
    torch.manual_seed(129)
    train, test = loaders(16, 129)
    model = nn.Sequential(nn.Linear(13, args.hidden), nn.Tanh(), nn.Linear(args.hidden, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for x, y in train:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 3 == 1:
            print(f"epoch {epoch}: test loss %.3f accuracy %.3f" % evaluate(model, test))
