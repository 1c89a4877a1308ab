"""One body, three heads, losses weighted by learnt uncertainties (Kendall et al.)."""
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(222)
raw = load_digits()
images = torch.tensor(raw.data / 16 - 0.3, dtype=torch.float32)
digit = torch.tensor(raw.target)
even = (digit % 2 == 0).float()
ink = images.mean(1)
ink = (ink - ink.mean()) / ink.std()
p = torch.randperm(len(digit))
train, val = p[:1400], p[1400:]


class ThreeHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
        self.heads = nn.ModuleDict({"digit": nn.Linear(32, 10), "even": nn.Linear(32, 1), "ink": nn.Linear(32, 1)})
        self.log_var = nn.ParameterDict({name: nn.Parameter(torch.zeros(())) for name in self.heads})

    def forward(self, x):
        h = self.body(x)
        return {name: head(h) for name, head in self.heads.items()}

    def losses(self, rows):
        out = self(images[rows])
        return {
            "digit": F.cross_entropy(out["digit"], digit[rows]),
            "even": F.binary_cross_entropy_with_logits(out["even"].squeeze(1), even[rows]),
            "ink": F.mse_loss(out["ink"].squeeze(1), ink[rows]),
        }


net = ThreeHeads()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(12):
    for rows in train[torch.randperm(1400)].split(50):
        parts = net.losses(rows)
        loss = sum(torch.exp(-net.log_var[k]) * v + net.log_var[k] / 2 for k, v in parts.items())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        held = net.losses(val)
    print(f"epoch {epoch}: total {loss.item():.3f} held-out", {k: round(v.item(), 3) for k, v in held.items()})
