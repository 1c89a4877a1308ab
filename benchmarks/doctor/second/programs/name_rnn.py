# Classifying names with a character-level RNN (after the well-known tutorial, with made-up languages)
import random
import string

import torch
import torch.nn as nn

random.seed(3)
torch.manual_seed(3)
letters = string.ascii_lowercase
endings = {"norse": ["sson", "dottir", "vik"], "latin": ["us", "ia", "orum"], "slavic": ["ov", "ski", "enko"]}
categories = sorted(endings)


def make_name(lang):
    stem = "".join(random.choice(letters) for _ in range(random.randint(2, 4)))
    return stem + random.choice(endings[lang])


def line_to_tensor(line):
    t = torch.zeros(len(line), 1, 26)
    for i, ch in enumerate(line):
        t[i][0][letters.index(ch)] = 1
    return t


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)

    def forward(self, x, hidden):
        hidden = torch.tanh(self.i2h(torch.cat((x, hidden), 1)))
        output = self.h2o(hidden)
        return output, hidden


rnn = RNN(26, 64, len(categories))
criterion = nn.NLLLoss()
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.01)
running = 0
for it in range(1, 601):
    cat = random.randrange(len(categories))
    line = line_to_tensor(make_name(categories[cat]))
    hidden = torch.zeros(1, rnn.hidden_size)
    for i in range(line.size(0)):
        output, hidden = rnn(line[i], hidden)
    loss = criterion(output, torch.tensor([cat]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    running += loss.item()
    if it % 100 == 0:
        print(it, running / 100)
        running = 0
