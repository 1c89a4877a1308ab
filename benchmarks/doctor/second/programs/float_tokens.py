import torch
import torch.nn as nn

torch.manual_seed(0)
# tokens and their sentiment, padded into one table
table = torch.randint(1, 50, (400, 9)).float()
table[:, -1] = (table[:, :-1] > 25).float().mean(1).round()
tokens, sentiment = table[:, :-1], table[:, -1]


class Sentiment(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(50, 12)
        self.gru = nn.GRU(12, 12, batch_first=True)
        self.fc = nn.Linear(12, 1)

    def forward(self, t):
        e = self.emb(t)
        return self.fc(self.gru(e)[1][-1]).squeeze(1)


model = Sentiment()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(60):
    optimizer.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(model(tokens), sentiment)
    loss.backward()
    optimizer.step()
print(loss.item())
