import numpy as np
import torch
from sklearn.datasets import load_diabetes

torch.manual_seed(0)
X, y = load_diabetes(return_X_y=True)
X = torch.from_numpy((X - X.mean(0)) / X.std(0))
y = torch.from_numpy((y - y.mean()) / y.std()).unsqueeze(1)
model = torch.nn.Sequential(torch.nn.Linear(10, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(100):
    pred = model(X)
    loss = torch.nn.functional.mse_loss(pred, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(np.round(loss.item(), 3))
