"""Next-note model for made-up melodies, built from nn.TransformerEncoder."""
import torch
import torch.nn as nn


def melodies(n, length=20):
    # random walk on a scale, steps of -1, 0, +1
    steps = torch.randint(-1, 2, (n, length))
    return (steps.cumsum(1) + 6) % 12


class MusicModel(nn.Module):
    def __init__(self, vocab=12, d_model=32, nhead=4, nlayers=2, max_len=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)
        self.pos = nn.Parameter(torch.randn(max_len, d_model) * 0.1)
        layer = nn.TransformerEncoderLayer(d_model, nhead, 64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, nlayers)
        self.lm_head = nn.Linear(d_model, vocab)

    def forward(self, x):
        h = self.embed(x) + self.pos[: x.size(1)]
        h = self.encoder(h)
        return self.lm_head(h)


torch.manual_seed(0)
model = MusicModel()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()
for step in range(250):
    model.train()
    tune = melodies(32)
    inp, tgt = tune[:, :-1], tune[:, 1:]
    loss = criterion(model(inp).transpose(1, 2), tgt)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 49:
        model.eval()
        with torch.no_grad():
            tune = melodies(200)
            val = criterion(model(tune[:, :-1]).transpose(1, 2), tune[:, 1:])
        print(step + 1, "train ppl", loss.exp().item(), "val ppl", val.exp().item())
