"""Triplets with semi-hard negatives on the digits; nearest neighbours in the embedding as the score."""
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from torch import nn


class TripletLearner:
    def __init__(self, dim=16, margin=0.3, lr=2e-3):
        self.net = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, dim))
        self.margin = margin
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=lr)

    def embed(self, x):
        return F.normalize(self.net(x), dim=1)

    def loss(self, x, y):
        e = self.embed(x)
        d = 2 - 2 * e @ e.T
        same = y[:, None] == y[None]
        eye = torch.eye(len(y), dtype=torch.bool)
        positive = (d - 10 * (~same | eye).float()).max(1).values
        harder = d + 10 * (same | (d < positive[:, None])).float()
        semi = harder.min(1).values
        fallback = (d - 10 * same.float()).max(1).values
        negative = torch.where(semi < 5, semi, fallback)
        return F.relu(positive - negative + self.margin).mean()

    def fit(self, x, y, epochs, xt, yt):
        for epoch in range(epochs):
            losses = []
            for rows in torch.randperm(len(x)).split(100):
                loss = self.loss(x[rows], y[rows])
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                losses.append(loss.item())
            print(f"epoch {epoch}: {sum(losses) / len(losses):.4f} neighbours right {self.score(x, y, xt, yt):.3f}")

    @torch.no_grad()
    def score(self, x, y, xt, yt):
        knn = KNeighborsClassifier(3).fit(self.embed(x).numpy(), y.numpy())
        return knn.score(self.embed(xt).numpy(), yt.numpy())


torch.manual_seed(221)
raw = load_digits()
x, y = torch.tensor(raw.data / 16, dtype=torch.float32), torch.tensor(raw.target)
p = torch.randperm(len(y))
TripletLearner().fit(x[p[:1400]], y[p[:1400]], 10, x[p[1400:]], y[p[1400:]])
