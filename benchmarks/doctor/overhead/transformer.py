"""1,000 steps of a Transformer of four layers on characters."""

import torch
from torch import nn

torch.manual_seed(0)
CONTEXT, WIDTH, SIZE = 32, 64, 32
text = torch.randint(0, SIZE, (20_000,))
text[1::2] = text[::2]  # every second character repeats the one before


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(SIZE, WIDTH)
        self.places = nn.Parameter(torch.randn(CONTEXT, WIDTH) / 10)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, SIZE)

    def forward(self, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        return self.head(self.layers(self.embed(tokens) + self.places, mask, is_causal=True))


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(1000):
    starts = torch.randint(0, len(text) - CONTEXT - 1, (16,))
    rows = starts[:, None] + torch.arange(CONTEXT + 1)
    batch = text[rows]
    scores = model(batch[:, :-1])
    loss = nn.functional.cross_entropy(scores.reshape(-1, SIZE), batch[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
