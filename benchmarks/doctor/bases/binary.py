"""Two classes of a medical table: one output, binary cross-entropy, a class of its own that trains."""

import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.loss = nn.BCEWithLogitsLoss()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)

    def fit(self, X, y, epochs=25, batch_size=32):
        self.model.train()
        for _ in range(epochs):
            order = torch.randperm(len(X))
            for start in range(0, len(X), batch_size):
                rows = order[start : start + batch_size]
                self.step(X[rows], y[rows])

    def step(self, x, y):
        self.optimizer.zero_grad()
        scores = self.model(x).squeeze(1)
        loss = self.loss(scores, y)
        loss.backward()
        self.optimizer.step()

    def score(self, X, y):
        self.model.eval()
        with torch.no_grad():
            scores = self.model(X).squeeze(1)
            loss = self.loss(scores, y).item()
            accuracy = ((scores > 0) == (y > 0.5)).float().mean().item()
        return loss, accuracy


torch.manual_seed(8)
X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0)
scaler = StandardScaler().fit(X_train)
X_train = torch.tensor(scaler.transform(X_train), dtype=torch.float32)
X_test = torch.tensor(scaler.transform(X_test), dtype=torch.float32)
y_train = torch.tensor(y_train, dtype=torch.float32)
y_test = torch.tensor(y_test, dtype=torch.float32)
model = nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1))
trainer = Trainer(model, lr=3e-3)
trainer.fit(X_train, y_train)
print(trainer.score(X_test, y_test))
