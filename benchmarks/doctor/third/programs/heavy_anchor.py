import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


def load():
    d = load_digits()
    x = d.data.astype("float32") / 16.0
    x -= x.mean()
    x /= x.std()
    a, b, c, e = train_test_split(x, d.target, test_size=0.2, random_state=0)
    return [torch.as_tensor(v) for v in (a, b, c, e)]


class Model(nn.Module):
    def __init__(self, sizes=(64, 64, 32, 10)):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in zip(sizes[:-1], sizes[1:]))

    def forward(self, x):
        *hidden, last = self.layers
        for layer in hidden:
            x = nn.functional.silu(layer(x))
        return last(x)


def main():
    torch.manual_seed(0)
    x_train, x_test, y_train, y_test = load()
    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=0.8)
    for epoch in range(15):
        losses = []
        for rows in torch.randperm(len(x_train)).split(64):
            loss = nn.functional.cross_entropy(model(x_train[rows]), y_train[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        with torch.no_grad():
            acc = (model(x_test).argmax(1) == y_test).float().mean().item()
        if epoch % 3 == 2:
            norm = sum(p.norm().item() for p in model.parameters())
            print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.3f} test accuracy {acc:.3f} weight norms {norm:.2f}")


if __name__ == "__main__":
    main()
