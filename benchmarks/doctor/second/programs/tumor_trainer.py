import numpy as np
import torch
from sklearn import datasets
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class TumorNet(nn.Module):
    def __init__(self, n_features, hidden=24, p=0.1):
        super(TumorNet, self).__init__()
        self.fc1 = nn.Linear(n_features, hidden)
        self.drop = nn.Dropout(p)
        self.fc2 = nn.Linear(hidden, 1)
        self.sigmoid = nn.Sigmoid()

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = self.drop(x)
        return self.sigmoid(self.fc2(x))


class Trainer:
    def __init__(self, model, train_ds, valid_ds, batch_size=32, lr=1e-3):
        self.model = model
        self.train_dl = DataLoader(train_ds, batch_size=batch_size, shuffle=True)
        self.valid_dl = DataLoader(valid_ds, batch_size=128)
        self.loss_fn = nn.BCEWithLogitsLoss()
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def train_epoch(self):
        self.model.train()
        total = 0.0
        for xb, yb in self.train_dl:
            self.opt.zero_grad()
            loss = self.loss_fn(self.model(xb), yb)
            loss.backward()
            self.opt.step()
            total += loss.item() * len(xb)
        return total / len(self.train_dl.dataset)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        total, hits = 0.0, 0
        for xb, yb in self.valid_dl:
            out = self.model(xb)
            total += self.loss_fn(out, yb).item() * len(xb)
            hits += ((out > 0.5) == yb.bool()).sum().item()
        n = len(self.valid_dl.dataset)
        return total / n, hits / n

    def fit(self, epochs):
        for e in range(epochs):
            tr = self.train_epoch()
            va, acc = self.validate()
            if e % 5 == 4:
                print(f"[{e + 1:3d}] train {tr:.4f} valid {va:.4f} acc {acc:.3f}")


if __name__ == "__main__":
    torch.manual_seed(7)
    raw = datasets.load_breast_cancer()
    X = raw.data.astype(np.float32)
    X = (X - X.mean(0)) / X.std(0)
    ds = TensorDataset(torch.from_numpy(X), torch.from_numpy(raw.target).float().unsqueeze(1))
    train, valid = random_split(ds, [450, len(ds) - 450])
    Trainer(TumorNet(X.shape[1]), train, valid).fit(25)
