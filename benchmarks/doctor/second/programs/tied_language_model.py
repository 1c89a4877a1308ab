import torch
import torch.nn as nn

torch.manual_seed(0)
words = "the quick brown fox jumps over the lazy dog while the lazy cat sleeps under the brown table and the fox runs".split()
vocab = sorted(set(words))
ids = torch.tensor([vocab.index(w) for w in words] * 60)


class TiedLM(nn.Module):
    def __init__(self, ntoken, ninp=32):
        super().__init__()
        self.drop = nn.Dropout(0.1)
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = nn.LSTM(ninp, ninp)
        self.decoder = nn.Linear(ninp, ninp and ntoken)
        self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def forward(self, inp, hidden):
        out, hidden = self.rnn(self.drop(self.encoder(inp)), hidden)
        return self.decoder(self.drop(out)), hidden


def batchify(data, bsz):
    n = data.size(0) // bsz
    return data[: n * bsz].view(bsz, -1).t().contiguous()


BPTT = 12
train_data = batchify(ids, 10)
model = TiedLM(len(vocab))
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
for epoch in range(20):
    model.train()
    hidden = (torch.zeros(1, 10, 32), torch.zeros(1, 10, 32))
    for i in range(0, train_data.size(0) - 1 - BPTT, BPTT):
        data, target = train_data[i:i + BPTT], train_data[i + 1:i + 1 + BPTT]
        hidden = tuple(h.detach() for h in hidden)
        out, hidden = model(data, hidden)
        loss = nn.functional.cross_entropy(out.view(-1, len(vocab)), target.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
    if epoch % 4 == 3:
        print(epoch + 1, loss.item())
