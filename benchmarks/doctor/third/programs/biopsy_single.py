"""Benign or malignant? Wisconsin breast cancer data, logistic network."""
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from torch import nn


class Biopsy(nn.Module):
    def __init__(self, features, hidden, classes):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(features, hidden), nn.LeakyReLU(0.1))
        self.decide = nn.Linear(hidden, classes)

    def forward(self, x):
        return self.decide(self.encode(x))


def batches(x, y, size, gen):
    for rows in torch.randperm(len(x), generator=gen).split(size):
        yield x[rows], y[rows]


def to_target(y, model):
    # class probabilities, as cross-entropy takes them: one column for one output
    columns = model.decide.out_features
    return y[:, None].float() if columns == 1 else nn.functional.one_hot(y, columns).float()


def train():
    torch.manual_seed(31)
    gen = torch.Generator().manual_seed(31)
    x, y = load_breast_cancer(return_X_y=True)
    x_tr, x_va, y_tr, y_va = train_test_split(x, y, test_size=0.25, stratify=y, random_state=31)
    prep = make_pipeline(StandardScaler(), FunctionTransformer(lambda a: a.clip(-4, 4).astype("float32")))
    x_tr = torch.from_numpy(prep.fit_transform(x_tr))
    x_va = torch.from_numpy(prep.transform(x_va))
    y_tr, y_va = torch.from_numpy(y_tr), torch.from_numpy(y_va)
    model = Biopsy(30, 12, classes=1)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(12):
        seen = 0.0
        for xb, yb in batches(x_tr, y_tr, 32, gen):
            optimizer.zero_grad()
            loss = criterion(model(xb), to_target(yb, model))
            loss.backward()
            optimizer.step()
            seen += loss.item() * len(xb)
        with torch.no_grad():
            accuracy = (model(x_va).argmax(1) == y_va).float().mean().item()
        print(f"{epoch:3d}  loss {seen / len(x_tr):.4f}  validation accuracy {accuracy:.3f}")


train()
