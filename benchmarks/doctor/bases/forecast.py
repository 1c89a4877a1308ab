"""A noisy wave: windows of the past, a GRU, the next value; arguments on the command line."""

import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--lr", type=float, default=5e-3)
parser.add_argument("--hidden", type=int, default=24)
parser.add_argument("--batch-size", type=int, default=32)
args = parser.parse_args()

torch.manual_seed(12)
rng = np.random.default_rng(12)
time = np.arange(1500)
wave = np.sin(time / 8) + 0.5 * np.sin(time / 3 + 1) + 0.05 * rng.standard_normal(len(time))
wave = wave.astype("float32")


class Windows(Dataset):
    """Pairs of a window and the value behind it."""

    def __init__(self, values, length=24):
        self.values, self.length = values, length

    def __len__(self):
        return len(self.values) - self.length

    def __getitem__(self, k):
        window = self.values[k : k + self.length]
        return torch.from_numpy(window).unsqueeze(-1), torch.tensor([self.values[k + self.length]])


class Forecaster(nn.Module):
    """A recurrent reader and a linear answer."""

    def __init__(self, hidden):
        super().__init__()
        self.gru = nn.GRU(input_size=1, hidden_size=hidden, batch_first=True)
        self.answer = nn.Linear(hidden, 1)

    def forward(self, windows):
        _, state = self.gru(windows)
        return self.answer(state[-1])


train = DataLoader(Windows(wave[:1200]), batch_size=args.batch_size, shuffle=True)
valid = DataLoader(Windows(wave[1200:]), batch_size=256)
model = Forecaster(args.hidden)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)


def run_epoch(loader, learn):
    model.train(learn)
    total = 0.0
    with torch.set_grad_enabled(learn):
        for windows, after in loader:
            prediction = model(windows)
            loss = criterion(prediction, after)
            if learn:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.item() * len(windows)
    return total / len(loader.dataset)


for epoch in range(args.epochs):
    train_loss = run_epoch(train, learn=True)
    valid_loss = run_epoch(valid, learn=False)
    print(f"epoch {epoch + 1}: train {train_loss:.4f}, valid {valid_loss:.4f}")
