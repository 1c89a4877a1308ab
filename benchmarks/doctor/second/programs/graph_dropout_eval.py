import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
n, classes = 300, 3
community = torch.randint(0, classes, (n,))
same = community[:, None] == community[None]
edges = torch.rand(n, n) < torch.where(same, 0.06, 0.01)
A = ((edges | edges.T).float() + torch.eye(n)).clamp(max=1)
A = A / A.sum(1, keepdim=True)
x = 0.7 * F.one_hot(community, 6).float() + torch.randn(n, 6)
perm = torch.randperm(n)
train_idx, test_idx = perm[:120], perm[120:]


class SAGE(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.s1, self.n1 = nn.Linear(i, h), nn.Linear(i, h, bias=False)
        self.s2, self.n2 = nn.Linear(h, o), nn.Linear(h, o, bias=False)

    def forward(self, x, a):
        x = F.relu(self.s1(x) + self.n1(a @ x))
        x = F.dropout(x, p=0.5)
        return self.s2(x) + self.n2(a @ x)


model = SAGE(6, 24, classes)
opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-3)


def test():
    model.eval()
    with torch.no_grad():
        out = model(x, A)
        return F.cross_entropy(out[test_idx], community[test_idx]).item(), (out.argmax(1) == community)[test_idx].float().mean().item()


for epoch in range(150):
    model.train()
    loss = F.cross_entropy(model(x, A)[train_idx], community[train_idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 10 == 9:
        print(epoch + 1, loss.item(), *test())
