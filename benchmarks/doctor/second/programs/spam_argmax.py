import random

import torch
import torch.nn as nn

random.seed(0)
torch.manual_seed(0)
spam = "win free cash now prize click offer".split()
ham = "meeting lunch report tomorrow thanks home call".split()
common = "the a to you is for and".split()
vocab = {w: i + 1 for i, w in enumerate(spam + ham + common)}


def message():
    label = random.random() < 0.5
    words = [random.choice(common + (spam if label else ham)) for _ in range(random.randint(3, 9))]
    ids = [vocab[w] for w in words]
    return ids + [0] * (10 - len(ids)), float(label)


class SpamNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(vocab) + 1, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 16, batch_first=True)
        self.fc = nn.Linear(16, 1)

    def forward(self, ids):
        out, (hidden, _) = self.lstm(self.embedding(ids))
        return self.fc(hidden[-1])


def batch(n):
    ids, labels = zip(*(message() for _ in range(n)))
    return torch.tensor(ids), torch.tensor(labels)


def binary_accuracy(logits, labels):
    preds = logits.argmax(dim=1)
    return (preds == labels).float().mean()


model = SpamNet()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.BCEWithLogitsLoss()
for step in range(200):
    ids, labels = batch(32)
    logits = model(ids)
    loss = criterion(logits.squeeze(1), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 39:
        model.eval()
        with torch.no_grad():
            ids, labels = batch(300)
            out = model(ids)
        print(step, loss.item(), "val acc", binary_accuracy(out, labels).item())
        model.train()
