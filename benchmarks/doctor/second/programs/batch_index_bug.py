import torch

torch.manual_seed(0)
N, BS = 2000, 40
X = torch.rand(N, 3) * 2 - 1
y = (torch.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] * 2).unsqueeze(1)
Xtr, ytr, Xva, yva = X[:1600], y[:1600], X[1600:], y[1600:]
net = torch.nn.Sequential(torch.nn.Linear(3, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
n_batches = 1600 // BS
for epoch in range(10):
    net.train()
    i = 0
    for _ in range(n_batches):
        xb = Xtr[i:i + BS]
        yb = ytr[i:i + BS]
        opt.zero_grad()
        loss = ((net(xb) - yb) ** 2).mean()
        loss.backward()
        opt.step()
    i += BS
    net.eval()
    with torch.no_grad():
        print(f"epoch {epoch} train {loss.item():.4f} val {((net(Xva) - yva) ** 2).mean().item():.4f}")
