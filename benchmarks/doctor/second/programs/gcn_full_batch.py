import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
N, K = 240, 3
block = torch.randint(0, K, (N,))
P = torch.where(block[:, None] == block[None], 0.08, 0.012)
upper = (torch.rand(N, N) < P).float().triu(1)
adj = upper + upper.T + torch.eye(N)
d = adj.sum(1).pow(-0.5)
adj = (d[:, None] * adj * d[None]).to_sparse()
x = F.one_hot(block, K).float() * 0.8 + torch.randn(N, K)
x = torch.cat([x, torch.randn(N, 8)], 1)
idx = torch.randperm(N)
train, val = idx[:80], idx[80:]


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(i, o))
        self.bias = nn.Parameter(torch.zeros(o))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, h, a):
        return torch.sparse.mm(a, h @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.gc1, self.gc2 = GraphConv(K + 8, 16), GraphConv(16, K)

    def forward(self, h, a):
        h = F.dropout(F.relu(self.gc1(h, a)), 0.5, training=self.training)
        return F.log_softmax(self.gc2(h, a), dim=1)


model = GCN()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-3)
for epoch in range(150):
    model.train()
    optimizer.zero_grad()
    out = model(x, adj)
    loss = F.nll_loss(out[train], block[train])
    loss.backward()
    optimizer.step()
    if epoch % 30 == 29:
        model.eval()
        with torch.no_grad():
            out = model(x, adj)
        print(epoch + 1, loss.item(), F.nll_loss(out[val], block[val]).item(), (out[val].argmax(1) == block[val]).float().mean().item())
