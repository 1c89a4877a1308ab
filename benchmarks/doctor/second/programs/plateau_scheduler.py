import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.RandomState(0)
torch.manual_seed(0)
t = np.arange(1500)
y = 0.6 * np.sin(t / 9) + 0.3 * np.sin(t / 31) + 0.05 * rng.randn(1500)
W, HZ = 32, 8
windows = np.lib.stride_tricks.sliding_window_view(y, W + HZ).astype("float32").copy()
cut = 1150
train = TensorDataset(torch.from_numpy(windows[:cut, :W]), torch.from_numpy(windows[:cut, W:]))
val = TensorDataset(torch.from_numpy(windows[cut + 40:, :W]), torch.from_numpy(windows[cut + 40:, W:]))


class TCN(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(1 if i == 0 else c, c, 3, dilation=2 ** i) for i in range(3)])
        self.out = nn.Linear(c, HZ)

    def forward(self, x):
        x = x.unsqueeze(1)
        for i, conv in enumerate(self.convs):
            x = torch.relu(conv(nn.functional.pad(x, (2 * 2 ** i, 0))))
        return self.out(x[..., -1])


model = TCN()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=1)
for epoch in range(12):
    model.train()
    for xb, yb in DataLoader(train, batch_size=50, shuffle=True):
        loss = nn.functional.l1_loss(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        v = nn.functional.l1_loss(model(val.tensors[0]), val.tensors[1])
    sched.step(v)
    print(epoch, loss.item(), v.item(), opt.param_groups[0]["lr"])
