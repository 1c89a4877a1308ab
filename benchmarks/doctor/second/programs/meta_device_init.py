# build big models without spending memory: create on "meta", then materialise
import torch
import torch.nn as nn

torch.manual_seed(0)


class PositionalNet(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.proj = nn.Linear(3, d)
        self.layer = nn.TransformerEncoderLayer(d, 2, 32, dropout=0.0, batch_first=True)
        self.out = nn.Linear(d, 1)

    def forward(self, x):
        return self.out(self.layer(self.proj(x)).mean(1))


with torch.device("meta"):
    model = PositionalNet()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(100):
    x = torch.randn(32, 6, 3)
    y = x[:, :, 0].amax(1, keepdim=True)
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
