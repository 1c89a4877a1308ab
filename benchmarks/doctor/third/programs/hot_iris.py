import torch
import torch.nn as nn
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset, random_split

SEED = 4
torch.manual_seed(SEED)


def prepare():
    iris = load_iris()
    x = torch.from_numpy(StandardScaler().fit_transform(iris.data)).float()
    y = nn.functional.one_hot(torch.from_numpy(iris.target), 3)
    full = TensorDataset(x, y)
    return random_split(full, [100, 50])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 16), nn.Linear(16, 16), nn.Linear(16, 3)])

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


def main():
    train, test = prepare()
    loader = DataLoader(train, batch_size=20, shuffle=True)
    model, criterion = Net(), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(16):
        total = 0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1}: {total / len(loader):.4f}")
    with torch.no_grad():
        x, y = next(iter(DataLoader(test, batch_size=50)))
        print("test loss", criterion(model(x), y).item())


if __name__ == "__main__":
    main()
