"""Letters of made-up sentences: an LSTM carries its state from chunk to chunk, clipped SGD."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(14)
torch.manual_seed(14)
subjects = ["the cat", "a dog", "my bird", "the old man", "a child"]
verbs = ["sees", "likes", "hunts", "finds", "calls"]
objects = ["the moon", "a mouse", "the sea", "a red ball", "nobody"]
text = " ".join(
    f"{random.choice(subjects)} {random.choice(verbs)} {random.choice(objects)}."
    for _ in range(900)
)
vocabulary = sorted(set(text))
index = {letter: k for k, letter in enumerate(vocabulary)}
stream = torch.tensor([index[letter] for letter in text])
BATCH, CHUNK = 16, 24
usable = (len(stream) - 1) // BATCH * BATCH
inputs = stream[:usable].view(BATCH, -1)
targets = stream[1 : usable + 1].view(BATCH, -1)


class CharModel(nn.Module):
    def __init__(self, size, dim=24, hidden=64):
        super().__init__()
        self.embedding = nn.Embedding(size, dim)
        self.rnn = nn.LSTM(dim, hidden, batch_first=True)
        self.output = nn.Linear(hidden, size)

    def forward(self, letters, state=None):
        features, state = self.rnn(self.embedding(letters), state)
        return self.output(features), state


model = CharModel(len(vocabulary))
optimizer = torch.optim.SGD(model.parameters(), lr=2.0, momentum=0.9)
last = inputs.shape[1] - CHUNK
split = int(0.85 * last)
for epoch in range(3):
    state = None
    for start in range(0, split, CHUNK):
        x, y = inputs[:, start : start + CHUNK], targets[:, start : start + CHUNK]
        logits, state = model(x, state)
        state = tuple(s.detach() for s in state)
        loss = F.cross_entropy(logits.transpose(1, 2), y)
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x, y = inputs[:, split : split + CHUNK], targets[:, split : split + CHUNK]
        valid = F.cross_entropy(model(x)[0].transpose(1, 2), y)
    model.train()
    print(epoch, loss.item(), valid.item())
