"""Graph convolution by hand: sort the nodes of a planted-partition graph, semi-supervised, full batch."""
import torch
from torch import nn

torch.manual_seed(226)
N, CLASSES = 240, 3
community = torch.arange(CLASSES).repeat_interleave(N // CLASSES)
probability = torch.where(community[:, None] == community[None], 0.15, 0.015)
upper = torch.triu(torch.rand(N, N) < probability, 1).float()
A = upper + upper.T + torch.eye(N)
d = A.sum(1).rsqrt()
A_hat = d[:, None] * A * d[None]
features = torch.randn(N, 16) + 0.6 * torch.randn(CLASSES, 16)[community]
order = torch.randperm(N)
train, val = order[:60], order[60:]


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(i, o))
        self.bias = nn.Parameter(torch.zeros(o))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, h):
        return A_hat @ h @ self.weight + self.bias


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = GraphConv(16, 16), GraphConv(16, CLASSES)
        self.drop = nn.Dropout(0.3)

    def forward(self, h):
        return self.two(self.drop(torch.relu(self.one(h))))


model = GCN()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-3)
for epoch in range(100):
    model.train()
    loss = nn.functional.cross_entropy(model(features)[train], community[train])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        out = model(features)[val]
    if epoch % 12 == 3:
        print(f"epoch {epoch + 1}: {loss.item():.3f} validation {nn.functional.cross_entropy(out, community[val]).item():.3f} accuracy {(out.argmax(1) == community[val]).float().mean():.3f}")
