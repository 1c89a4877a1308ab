# Which digit is it?  One neuron that says the number.
import numpy as np
import torch
from sklearn import datasets, model_selection
from torch import nn, optim

torch.manual_seed(10)
np.random.seed(10)
d = datasets.load_digits()
Xa, Xb, ya, yb = model_selection.train_test_split(d.data / 16.0, d.target, test_size=0.3, random_state=10)
Xa, Xb = torch.FloatTensor(Xa), torch.FloatTensor(Xb)
ya, yb = torch.LongTensor(ya), torch.LongTensor(yb)

outputs = 1
net = nn.Sequential(nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, outputs))
objective = nn.MSELoss()
trainer = optim.SGD(net.parameters(), lr=0.02, momentum=0.5)


def read(out):
    return out.squeeze(1).round().clamp(0, 9).long()


def cost(out, y):
    return objective(out.squeeze(1), y.float())


for epoch in range(25):
    perm = np.random.permutation(len(Xa))
    s = 0.0
    for k in range(0, len(perm), 40):
        ii = torch.from_numpy(perm[k : k + 40])
        out = net(Xa[ii])
        l = cost(out, ya[ii])
        trainer.zero_grad()
        l.backward()
        trainer.step()
        s += l.item() * len(ii)
    if epoch % 4 == 0:
        with torch.no_grad():
            right = (read(net(Xb)) == yb).float().mean().item()
        print("epoch", epoch, "cost", round(s / len(Xa), 3), "right on test", round(right, 3))
