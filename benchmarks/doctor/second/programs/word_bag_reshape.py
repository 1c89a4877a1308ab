import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
B, T, D, H = 32, 8, 32, 4


class MHA(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(D, 3 * D)
        self.proj = nn.Linear(D, D)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.reshape(H, b, t, d // H)
        k = k.reshape(H, b, t, d // H)
        v = v.reshape(H, b, t, d // H)
        o = F.scaled_dot_product_attention(q, k, v)
        return self.proj(o.permute(1, 2, 0, 3).reshape(b, t, d))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(10, D), nn.Embedding(T, D)
        self.mha, self.ln = MHA(), nn.LayerNorm(D)
        self.out = nn.Linear(D, 10)

    def forward(self, x):
        h = self.tok(x) + self.pos.weight
        return self.out(self.ln(h + self.mha(h)).mean(1))


model = Net()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(400):
    x = torch.randint(0, 10, (B, T))
    y = x.max(1).values
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 80 == 0 or step == 399:
        print(step, loss.item())
