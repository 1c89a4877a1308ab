"""Suggest several tags per article: multi-label classification with one sigmoid per tag."""
import argparse

import torch
import torch.nn.functional as F
from sklearn.datasets import make_multilabel_classification


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--hidden", type=int, default=48)
    p.add_argument("--lr", type=float, default=0.003)
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--seed", type=int, default=11)
    return p.parse_args()


class Tagger(torch.nn.Module):
    def __init__(self, words, tags, hidden):
        super().__init__()
        self.body = torch.nn.Linear(words, hidden)
        self.head = torch.nn.Linear(hidden, tags)

    def forward(self, counts):
        h = torch.relu(self.body(counts))
        return torch.sigmoid(self.head(h))


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        p = model(x)
        hit = ((p > 0.5) == (y > 0.5)).float().mean()
        return float(hit)


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    x, y = make_multilabel_classification(
        n_samples=3000, n_features=40, n_classes=6, n_labels=2, length=60, random_state=args.seed
    )
    x = torch.tensor(x, dtype=torch.float32).sqrt()
    x = (x - x.mean(0)) / x.std(0)
    y = torch.tensor(y, dtype=torch.float32)
    xt, yt, xv, yv = x[:2400], y[:2400], x[2400:], y[2400:]
    model = Tagger(40, 6, args.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(xt)).split(60):
            optimizer.zero_grad()
            loss = F.binary_cross_entropy_with_logits(model(xt[idx]), yt[idx])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        print(f"{epoch:2d} loss {total / len(xt):.4f} tag accuracy {evaluate(model, xv, yv):.4f}")


if __name__ == "__main__":
    main()
