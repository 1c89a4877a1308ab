# two-layer GCN on a planted partition graph, written without any graph library
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
N, C = 200, 4
labels = torch.arange(N) % C
prob = torch.where(labels[:, None] == labels[None], 0.12, 0.02)
A = (torch.rand(N, N) < prob).float().triu(1)
A = A + A.T + torch.eye(N)
deg = A.sum(1).rsqrt()
A_hat = deg[:, None] * A * deg[None]
feats = F.one_hot(labels, C).float() + 1.5 * torch.randn(N, C)
feats = torch.cat([feats, torch.randn(N, 12)], 1)
train_mask = torch.rand(N) < 0.5


class GCN(nn.Module):
    def __init__(self, fin, hid, out):
        super().__init__()
        self.w1 = nn.Linear(fin, hid)
        self.w2 = nn.Linear(hid, hid)
        self.cls = nn.Linear(hid, out)

    def encode(self, x, a):
        with torch.no_grad():
            x = F.relu(a @ self.w1(x))
            return F.relu(a @ self.w2(x))

    def forward(self, x, a):
        return self.cls(self.encode(x, a))


gcn = GCN(16, 16, C)
optimizer = torch.optim.Adam(gcn.parameters(), lr=0.01)
for epoch in range(200):
    gcn.train()
    logits = gcn(feats, A_hat)
    loss = F.cross_entropy(logits[train_mask], labels[train_mask])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 40 == 0 or epoch == 199:
        gcn.eval()
        with torch.no_grad():
            acc = (gcn(feats, A_hat).argmax(1) == labels)[~train_mask].float().mean()
        print(epoch, loss.item(), acc.item())
