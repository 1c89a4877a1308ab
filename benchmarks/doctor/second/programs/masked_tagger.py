# sequence tagging with packed sequences: which of the numbers are larger than the one before?
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


class Rising(Dataset):
    def __init__(self, n):
        self.items = []
        for _ in range(n):
            x = torch.randn(int(torch.randint(4, 12, ())))
            y = torch.cat([torch.zeros(1), (x[1:] > x[:-1]).float()]).long()
            self.items.append((x.unsqueeze(1), y))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return self.items[k]


def collate(items):
    xs, ys = zip(*items)
    return pad_sequence(xs, batch_first=True), pad_sequence(ys, batch_first=True, padding_value=-100), torch.tensor([len(y) for y in ys])


class Tagger(nn.Module):
    def __init__(self, h=24):
        super().__init__()
        self.rnn = nn.LSTM(1, h, batch_first=True)
        self.fc = nn.Linear(h, 2)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.fc(out)


torch.manual_seed(0)
train = DataLoader(Rising(1000), batch_size=32, shuffle=True, collate_fn=collate)
valid = DataLoader(Rising(200), batch_size=200, collate_fn=collate)
model = Tagger()
criterion = nn.CrossEntropyLoss(ignore_index=-100)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(6):
    model.train()
    for x, y, n in train:
        loss = criterion(model(x, n).transpose(1, 2), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        for x, y, n in valid:
            print(epoch, loss.item(), criterion(model(x, n).transpose(1, 2), y).item())
