import torch
import torch.nn as nn

torch.manual_seed(0)
U, I, K = 200, 150, 4
tu, ti = torch.randn(U, K), torch.randn(I, K)
u = torch.randint(0, U, (6000,))
i = torch.randint(0, I, (6000,))
rating = (3 + (tu[u] * ti[i]).sum(1) * 0.5 + 0.3 * torch.randn(6000)).clamp(1, 5)


class MF(nn.Module):
    def __init__(self, k=8):
        super().__init__()
        self.user, self.item = nn.Embedding(U, k), nn.Embedding(I, k)
        self.ub, self.ib = nn.Embedding(U, 1), nn.Embedding(I, 1)
        self.mean = nn.Parameter(torch.tensor(3.0))
        for e in (self.user, self.item):
            nn.init.normal_(e.weight, std=0.3)
        for e in (self.ub, self.ib):
            nn.init.zeros_(e.weight)

    def forward(self, u, i):
        return self.mean + self.ub(u).squeeze(1) + self.ib(i).squeeze(1) + (self.user(u) * self.item(i)).sum(1)


model = MF()
opt = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=1e-4)
for epoch in range(6):
    model.train()
    for b in torch.randperm(5000).split(100):
        loss = (model(u[b], i[b]) - rating[b]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        v = (model(u[5000:], i[5000:]) - rating[5000:]).pow(2).mean()
    print(epoch, loss.item(), v.item(), "var", rating.var().item())
