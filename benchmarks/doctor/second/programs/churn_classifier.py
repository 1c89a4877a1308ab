import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(8)
# customers: tenure, monthly charge, support calls, contract length -> churned or not
n = 1200
customers = torch.randn(n, 4)
score = -1.2 * customers[:, 0] + 0.8 * customers[:, 1] + 1.5 * customers[:, 2] - 0.7 * customers[:, 3]
churned = (torch.rand(n) < torch.sigmoid(score)).float().unsqueeze(1)


class ChurnModel(nn.Module):
    def __init__(self, in_dim=4, out_dim=1):
        super().__init__()
        self.layer_1 = nn.Linear(in_dim, 32)
        self.layer_2 = nn.Linear(32, 16)
        self.layer_out = nn.Linear(16, out_dim)
        self.batchnorm1 = nn.BatchNorm1d(32)

    def forward(self, inputs):
        x = F.relu(self.layer_1(inputs))
        x = self.batchnorm1(x)
        x = F.relu(self.layer_2(x))
        return self.layer_out(x)


model = ChurnModel()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
for e in range(1, 13):
    model.train()
    epoch_loss = 0
    for i in range(0, 960, 32):
        optimizer.zero_grad()
        y_pred = model(customers[i:i + 32])
        loss = criterion(y_pred, churned[i:i + 32])
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    model.eval()
    with torch.no_grad():
        tag = (model(customers[960:]) > 0).float()
        acc = (tag == churned[960:]).float().mean().item()
    print(f"Epoch {e:03}: | Loss: {epoch_loss / 30:.5f} | Acc: {acc:.3f}")
