import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.cat([torch.rand(150, 1) * 2 - 3, torch.rand(150, 1) * 2 + 1])
y = torch.sin(1.5 * x) + 0.1 * torch.randn_like(x)
grid = torch.linspace(-4, 4, 81).unsqueeze(1)


class BayesNet(nn.Module):
    def __init__(self, p=0.1):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(1, 64), nn.ReLU(), nn.Dropout(p), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(p), nn.Linear(64, 1)
        )

    def forward(self, x):
        return self.layers(x)


@torch.no_grad()
def predict(model, x, draws=30):
    model.train()  # dropout stays on: every pass is a draw
    s = torch.stack([model(x) for _ in range(draws)])
    return s.mean(0), s.std(0)


net = BayesNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-5)
for step in range(500):
    net.train()
    b = torch.randint(0, 300, (50,))
    loss = nn.functional.mse_loss(net(x[b]), y[b])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 125 == 124:
        mean, std = predict(net, grid)
        print(step + 1, loss.item(), "spread inside", std[15:25].mean().item(), "outside", std[:5].mean().item())
