# Click prediction: probability that a user opens an item, given both feature vectors.
import torch
import torch.nn as nn

torch.manual_seed(77)
users, items = torch.randn(300, 6), torch.randn(200, 6)
A = torch.randn(6, 6) * 0.6
u = torch.randint(0, 300, (4000,))
v = torch.randint(0, 200, (4000,))
p_true = torch.sigmoid(((users[u] @ A) * items[v]).sum(1))
clicked = torch.bernoulli(p_true)


class ClickModel(nn.Module):
    def __init__(self, dim=6, hidden=40):
        super().__init__()
        self.pair = nn.Bilinear(dim, dim, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, a, b):
        return torch.sigmoid(self.out(torch.tanh(self.pair(a, b)))).squeeze(-1)


model = ClickModel()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(10):
    model.train()
    total = 0.0
    for rows in torch.randperm(3200).split(64):
        p = model(users[u[rows]], items[v[rows]]).clamp(1e-5, 1 - 1e-5)
        t = clicked[rows]
        log_p = t * p.log() + (1 - t) * (1 - p).log()
        loss = log_p.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows) / 3200
    model.eval()
    with torch.no_grad():
        hit = ((model(users[u[3200:]], items[v[3200:]]) > 0.5).float() == clicked[3200:]).float().mean()
    print(f"epoch {epoch} loss {total:.4f} held-out accuracy {hit:.3f}")
