# stateful LSTM: the hidden state is carried from batch to batch
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
BATCH = 32
X = torch.randn(500, 12, 4)
y = (X[:, :, 0].sum(1) > 0).long()


class Stateful(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 16, batch_first=True)
        self.fc = nn.Linear(16, 2)

    def forward(self, x, state):
        out, state = self.lstm(x, state)
        return self.fc(out[:, -1]), state


model = Stateful()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(X, y), batch_size=BATCH, shuffle=True)
for epoch in range(5):
    h = (torch.zeros(1, BATCH, 16), torch.zeros(1, BATCH, 16))
    for xb, yb in loader:
        opt.zero_grad()
        out, h = model(xb, h)
        h = tuple(s.detach() for s in h)
        loss = nn.functional.cross_entropy(out, yb)
        loss.backward()
        opt.step()
    print(epoch, loss.item())
