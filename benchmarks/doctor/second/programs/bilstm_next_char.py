import torch
import torch.nn as nn

torch.manual_seed(0)
# order-2 Markov source over 6 symbols
P = torch.distributions.Dirichlet(torch.full((6,), 0.3)).sample((6, 6))


def source(n, T=24):
    s = torch.randint(0, 6, (n, 2))
    for _ in range(T):
        nxt = torch.multinomial(P[s[:, -2], s[:, -1]], 1)
        s = torch.cat([s, nxt], 1)
    return s


class CharLSTM(nn.Module):
    def __init__(self, v=6, e=16, h=32):
        super().__init__()
        self.e = nn.Embedding(v, e)
        self.lstm = nn.LSTM(e, h, batch_first=True, bidirectional=True)
        self.o = nn.Linear(2 * h, v)

    def forward(self, s):
        return self.o(self.lstm(self.e(s))[0])


net = CharLSTM()
opt = torch.optim.Adam(net.parameters(), 5e-3)
for step in range(200):
    s = source(32)
    logits = net(s[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), s[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 40 == 39:
        print(step + 1, loss.item())
