"""Sequences: does the first half of a noisy signal hold more than the second? An LSTM, clipped."""

import torch
from torch import nn

torch.manual_seed(3)
signals = torch.randn(1600, 20, 3)
labels = (signals[:, :10, 0].sum(1) > signals[:, 10:, 0].sum(1)).long()
train_x, train_y = signals[:1280], labels[:1280]
valid_x, valid_y = signals[1280:], labels[1280:]


class Reader(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.lstm = nn.LSTM(3, hidden, batch_first=True)
        self.classify = nn.Linear(hidden, 2)

    def forward(self, x):
        states, _ = self.lstm(x)
        return self.classify(states[:, -1])


reader = Reader()
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(reader.parameters(), lr=0.01)
for epoch in range(8):
    reader.train()
    shuffled = torch.randperm(len(train_x))
    for batch in shuffled.split(64):
        optimizer.zero_grad()
        scores = reader(train_x[batch])
        loss = loss_function(scores, train_y[batch])
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
    reader.eval()
    with torch.no_grad():
        scores = reader(valid_x)
        valid_loss = loss_function(scores, valid_y)
        accuracy = (scores.argmax(1) == valid_y).float().mean()
    print(epoch, round(loss.item(), 3), round(valid_loss.item(), 3), round(accuracy.item(), 3))
