import torch
from torch import nn, optim
from torch.utils.data import DataLoader

torch.manual_seed(11)
# 12 correlated sensors driven by 3 hidden causes; readings centred
causes = torch.randn(2000, 3)
readings = causes @ torch.randn(3, 12) + 0.1 * torch.randn(2000, 12)
readings = (readings - readings.mean(0)) / readings.std(0)
train, test = readings[:1600], readings[1600:]


class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 4))
        self.decoder = nn.Sequential(
            nn.Linear(4, 16),
            nn.ReLU(),
            nn.Linear(16, 12),
            nn.ReLU(),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


ae = AE()
opt = optim.Adam(ae.parameters(), lr=2e-3, weight_decay=1e-8)
for epoch in range(12):
    for batch in DataLoader(train, batch_size=50, shuffle=True):
        rec = ae(batch)
        loss = nn.functional.mse_loss(rec, batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(epoch, float(loss), "test", float(nn.functional.mse_loss(ae(test), test)))
