import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(1500, 6)
y = 3 + X[:, :1] * X[:, 1:2] + X[:, 2:3]
X_val, y_val = X[1200:], y[1200:]
model = nn.Sequential(
    nn.Linear(6, 64),
    nn.ReLU(),
    nn.Linear(64, 64),
    nn.ReLU(),
    nn.Linear(64, 1),
    nn.Dropout(0.5),
)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(400):
    model.train()
    i = torch.randint(0, 1200, (64,))
    loss = nn.functional.mse_loss(model(X[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 80 == 0 or step == 399:
        model.eval()
        with torch.no_grad():
            print(step, loss.item(), nn.functional.mse_loss(model(X_val), y_val).item())
