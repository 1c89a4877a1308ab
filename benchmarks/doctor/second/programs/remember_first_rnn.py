# does an RNN remember the first token of the sequence?
import torch
import torch.nn as nn

torch.manual_seed(0)
SEQ_LEN, CLASSES = 40, 4


def get_batch(n=64):
    x = torch.randint(0, CLASSES, (n, SEQ_LEN))
    return nn.functional.one_hot(x, CLASSES).float(), x[:, 0]


class VanillaRNN(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.rnn = nn.RNN(CLASSES, hidden, nonlinearity="tanh", batch_first=True)
        self.fc = nn.Linear(hidden, CLASSES)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.fc(out[:, -1])


model = VanillaRNN()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(400):
    x, y = get_batch()
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0 or step == 399:
        print(step, loss.item())
