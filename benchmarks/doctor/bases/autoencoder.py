"""Digits through a narrow code and back: squared error, raw tensors, AdamW."""

import torch
from sklearn.datasets import load_digits
from torch import nn, optim


class AutoEncoder(nn.Module):
    def __init__(self, code=12):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, code))
        self.decoder = nn.Sequential(
            nn.Linear(code, 48), nn.ReLU(), nn.Linear(48, 64), nn.Sigmoid()
        )

    def encode(self, x):
        return self.encoder(x)

    def forward(self, x):
        return self.decoder(self.encode(x))


def train(model, data, held_out, epochs=12, batch=50, rate=3e-3):
    optimizer = optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-3)
    mse = nn.MSELoss()
    for epoch in range(epochs):
        model.train()
        for rows in torch.randperm(len(data)).split(batch):
            x = data[rows]
            restored = model(x)
            loss = mse(restored, x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            error = mse(model(held_out), held_out).item()
        print(f"[{epoch:2d}] {loss.item():.4f} {error:.4f}")


if __name__ == "__main__":
    torch.manual_seed(13)
    pictures = torch.tensor(load_digits().data).float() / 16
    train(AutoEncoder(), pictures[:1500], pictures[1500:])
