"""Binary codes with a straight-through sign, written as an autograd Function."""
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.autograd import Function


class SignSTE(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= 1).float()


class BinaryCodes(nn.Module):
    def __init__(self, bits=24):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, bits), nn.LayerNorm(bits))
        self.dec = nn.Sequential(nn.Linear(bits, 64), nn.ReLU(), nn.Linear(64, 64))

    def forward(self, x):
        return self.dec(SignSTE.apply(self.enc(x)))


torch.manual_seed(217)
x = torch.tensor(load_digits().data / 16, dtype=torch.float32)
x = x[torch.randperm(len(x))]
x = x - x.mean(0)
train, test = x[:1500], x[1500:]
model = BinaryCodes()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(15):
    model.train()
    for batch in train[torch.randperm(1500)].split(50):
        loss = nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        error = nn.functional.mse_loss(model(test), test).item()
    if epoch % 2 == 0:
        print(f"epoch {epoch}: train {loss.item():.4f} test {error:.4f} (variance {test.pow(2).mean().item():.4f})")
