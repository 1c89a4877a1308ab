"""Sentences of made-up words, liked or not: an embedding bag, early stopping, best weights restored."""

import copy

import torch
from torch import nn

gen = torch.Generator().manual_seed(16)
WORDS = 200
mood = torch.randn(WORDS, generator=gen)
texts = torch.randint(0, WORDS, (1200, 12), generator=gen)
liked = (mood[texts].sum(1) + 0.3 * torch.randn(1200, generator=gen) > 0).long()
train_texts, valid_texts = texts[:900], texts[900:]
train_liked, valid_liked = liked[:900], liked[900:]
torch.manual_seed(16)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(WORDS, 16, mode="sum")
        self.norm = nn.LayerNorm(16)
        self.head = nn.Linear(16, 2)

    def forward(self, tokens):
        return self.head(torch.relu(self.norm(self.bag(tokens))))


classifier = Classifier()
optimizer = torch.optim.AdamW(classifier.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=15)
ce = nn.CrossEntropyLoss(label_smoothing=0.05)
best, best_state, patience = float("inf"), None, 0
for _ in range(15):
    classifier.train()
    permutation = torch.randperm(len(train_texts))
    for b in range(0, len(permutation), 30):
        pick = permutation[b : b + 30]
        loss = ce(classifier(train_texts[pick]), train_liked[pick])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    scheduler.step()
    classifier.eval()
    with torch.inference_mode():
        valid_loss = ce(classifier(valid_texts), valid_liked).item()
    if valid_loss < best:
        best, best_state, patience = valid_loss, copy.deepcopy(classifier.state_dict()), 0
    else:
        patience += 1
        if patience == 3:
            break
classifier.load_state_dict(best_state)
print("best", best)
