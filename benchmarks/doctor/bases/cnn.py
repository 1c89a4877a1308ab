"""Images of digits: a small convolutional network with batch normalization and a one-cycle rate."""

import torch
from sklearn.datasets import load_digits
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split


class ConvNet(nn.Module):
    def __init__(self, channels=16, classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, channels, 3, padding=1),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(channels, 2 * channels, 3, padding=1),
            nn.BatchNorm2d(2 * channels),
            nn.ReLU(),
        )
        self.head = nn.Linear(2 * channels * 16, classes)

    def forward(self, images):
        maps = self.features(images)
        return self.head(maps.flatten(1))


def evaluate(model, loader, loss_fn):
    model.eval()
    hits, losses = 0, 0.0
    with torch.no_grad():
        for images, labels in loader:
            scores = model(images)
            losses += loss_fn(scores, labels).item() * len(labels)
            hits += (scores.argmax(dim=1) == labels).sum().item()
    return losses / len(loader.dataset), hits / len(loader.dataset)


def main(epochs=5, batch_size=64):
    torch.manual_seed(2)
    images, labels = load_digits(return_X_y=True)
    images = torch.tensor(images, dtype=torch.float32).reshape(-1, 1, 8, 8) / 16 - 0.5
    data = TensorDataset(images, torch.tensor(labels))
    train, valid = random_split(data, [1400, len(data) - 1400])
    train_loader = DataLoader(train, batch_size=batch_size, shuffle=True)
    valid_loader = DataLoader(valid, batch_size=256)
    model = ConvNet()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    scheduler = optim.lr_scheduler.OneCycleLR(
        optimizer, 1e-2, total_steps=epochs * len(train_loader)
    )
    for epoch in range(epochs):
        model.train()
        for images, labels in train_loader:
            optimizer.zero_grad(set_to_none=True)
            loss = loss_fn(model(images), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
        loss, accuracy = evaluate(model, valid_loader, loss_fn)
        print(f"{epoch} {loss:.3f} {accuracy:.3f}")


if __name__ == "__main__":
    main()
