import torch
from torch import nn

torch.manual_seed(0)
# sine wave prediction, LBFGS with a closure
t = torch.linspace(0, 6.28, 200).unsqueeze(1)
y = torch.sin(t) * torch.exp(-0.2 * t)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
optimizer = torch.optim.LBFGS(net.parameters(), lr=0.8, max_iter=10, history_size=20)
criterion = nn.MSELoss()
for i in range(25):

    def closure():
        optimizer.zero_grad()
        out = net(t / 3.14 - 1)
        loss = criterion(out, y)
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    if i % 5 == 0:
        print("STEP:", i, "loss:", loss.item())
print("last", closure().item())
