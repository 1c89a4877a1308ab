import torch
from sklearn.datasets import make_friedman2

torch.manual_seed(0)
X, y = make_friedman2(1500, noise=10.0, random_state=0)
X = (X - X.mean(0)) / X.std(0)
y = (y - y.mean()) / y.std()
X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32).unsqueeze(-1)
model = torch.nn.Sequential(torch.nn.Linear(4, 50), torch.nn.ReLU(), torch.nn.Linear(50, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.999), eps=1.0)
for it in range(500):
    b = torch.randint(1200, (100,))
    loss = torch.nn.functional.mse_loss(model(X[b]), y[b])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 100 == 0 or it == 499:
        with torch.no_grad():
            print(it, loss.item(), torch.nn.functional.mse_loss(model(X[1200:]), y[1200:]).item())
