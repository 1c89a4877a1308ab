# attention is all you need, in small: copy-and-shift task with the Noam schedule
import torch
import torch.nn as nn

torch.manual_seed(0)
V, T, D, WARMUP = 11, 8, 48, 120


class NoamOpt:
    def __init__(self, model_size, factor, warmup, optimizer):
        self.optimizer, self._step = optimizer, 0
        self.warmup, self.factor, self.model_size = warmup, factor, model_size

    def step(self):
        self._step += 1
        for p in self.optimizer.param_groups:
            p["lr"] = self.rate()
        self.optimizer.step()

    def rate(self):
        s = self._step
        return self.factor * self.model_size ** -0.5 * min(s ** -0.5, s * self.warmup ** -1.5)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        self.pos = nn.Parameter(0.02 * torch.randn(T, D))
        self.tr = nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 4, 96, 0.1, batch_first=True), 2)
        self.gen = nn.Linear(D, V)

    def forward(self, x):
        return self.gen(self.tr(self.emb(x) + self.pos))


model = Model()
opt = NoamOpt(D, 0.5, WARMUP, torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9))
for step in range(400):
    model.train()
    x = torch.randint(1, V, (40, T))
    y = x.roll(1, 1)
    loss = nn.functional.cross_entropy(model(x).reshape(-1, V), y.reshape(-1))
    loss.backward()
    opt.step()
    opt.optimizer.zero_grad()
    if step % 100 == 99:
        model.eval()
        with torch.no_grad():
            x = torch.randint(1, V, (200, T))
            out = model(x)
            print(step + 1, loss.item(), nn.functional.cross_entropy(out.reshape(-1, V), x.roll(1, 1).reshape(-1)).item(), opt.rate())
