import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
X = torch.randn(3000, 10)
W = torch.randn(10, 6)
hid = torch.tanh(X @ W)
y_reg = hid @ torch.randn(6, 1) + 0.1 * torch.randn(3000, 1)
y_cls = (hid @ torch.randn(6, 4)).argmax(1)


class MTL(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.reg_head = nn.Linear(32, 1)
        self.cls_head = nn.Linear(32, 4)

    def forward(self, x):
        z = self.shared(x)
        return self.reg_head(z), self.cls_head(z)


model = MTL()
optimizer = torch.optim.AdamW(
    [
        {"params": model.shared.parameters(), "lr": 1e-3},
        {"params": model.reg_head.parameters(), "lr": 3e-3},
    ],
    weight_decay=1e-4,
)
for step in range(400):
    idx = torch.randint(0, 2700, (64,))
    r, c = model(X[idx])
    loss_r = F.mse_loss(r, y_reg[idx])
    loss_c = F.cross_entropy(c, y_cls[idx])
    loss = loss_r + loss_c
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 80 == 0:
        model.eval()
        with torch.no_grad():
            r, c = model(X[2700:])
            print(step, loss_r.item(), loss_c.item(), "val", F.mse_loss(r, y_reg[2700:]).item(), (c.argmax(1) == y_cls[2700:]).float().mean().item())
        model.train()
print("end", loss_r.item(), loss_c.item())
