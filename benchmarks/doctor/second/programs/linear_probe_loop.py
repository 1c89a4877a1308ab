# linear regression the PyTorch way
import torch
from sklearn.datasets import make_regression

X, y = make_regression(n_samples=600, n_features=12, noise=5.0, random_state=3)
X = torch.from_numpy(X).float()
y = torch.from_numpy(y / y.std()).float().view(-1, 1)
torch.manual_seed(0)
model = torch.nn.Linear(12, 1)
lossfn = torch.nn.MSELoss()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
losses = []
for epoch in range(200):
    # forward
    pred = model(X[:500])
    loss = lossfn(pred, y[:500])
    # backward
    loss.backward()
    # update
    opt.step()
    losses.append(loss.item())
    if epoch % 25 == 0:
        with torch.no_grad():
            test = lossfn(model(X[500:]), y[500:])
        print(epoch, losses[-1], test.item())
print("min", min(losses), "last", losses[-1])
