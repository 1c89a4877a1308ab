"""A bidirectional LSTM hears whether a tune rises or falls on the whole."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(171)
tunes = torch.randint(0, 12, (1500, 10))
half = tunes[:, 5:].float().mean(1) - tunes[:, :5].float().mean(1)
rises = (half > 0).long()


class Tune(nn.Module):
    def __init__(self, dim=16, units=24):
        super().__init__()
        self.embed = nn.Embedding(12, dim)
        self.lstm = nn.LSTM(dim, units, batch_first=True, bidirectional=True)
        self.head = nn.Linear(units, 2)

    def forward(self, tune):
        states, _ = self.lstm(self.embed(tune))
        return self.head(states.mean(dim=1))


train = DataLoader(TensorDataset(tunes[:1200], rises[:1200]), batch_size=40, shuffle=True)
model = Tune()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(10):
    for x, y in train:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        accuracy = (model(tunes[1200:]).argmax(1) == rises[1200:]).float().mean().item()
    print(f"epoch {epoch} loss {loss.item():.3f} held-out accuracy {accuracy:.3f}")
