import torch
import torch.nn as nn


class CountGRU(nn.Module):
    """Does the sequence hold more ones than zeros?"""

    def __init__(self, hidden=16):
        super().__init__()
        self.gru = nn.GRU(input_size=1, hidden_size=hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        _, h = self.gru(x)
        return self.head(h[-1]).squeeze(-1)


def batch(n, length=15):
    x = (torch.rand(n, length, 1) < 0.5).float()
    return x, (x.mean((1, 2)) > 0.5).float()


def main():
    torch.manual_seed(0)
    model = CountGRU()
    bce = nn.BCEWithLogitsLoss()
    opt = torch.optim.SGD(model.parameters(), lr=0.3)
    opt.zero_grad()
    for step in range(400):
        x, y = batch(64)
        loss = bce(model(x), y)
        loss.backward()
        opt.step()
        if step % 50 == 49:
            model.eval()
            with torch.no_grad():
                xv, yv = batch(500)
                out = model(xv)
            print(step + 1, loss.item(), bce(out, yv).item(), ((out > 0) == yv.bool()).float().mean().item())
            model.train()


main()
