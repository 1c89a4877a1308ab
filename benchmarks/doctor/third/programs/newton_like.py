# Small smooth problem, second-order optimizer, whole data set at every call.
import torch
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

torch.manual_seed(209)
X, y = load_diabetes(return_X_y=True)
X = torch.tensor(StandardScaler().fit_transform(X))
y = torch.tensor((y - y.mean()) / y.std())[:, None]
p = torch.randperm(len(X))
X_train, y_train, X_test, y_test = X[p[:330]], y[p[:330]], X[p[330:]], y[p[330:]]

net = torch.nn.Sequential(torch.nn.Linear(10, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1)).double()
lbfgs = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=8, history_size=10, line_search_fn="strong_wolfe")
penalty = 0.03


def closure():
    lbfgs.zero_grad()
    fit = torch.nn.functional.mse_loss(net(X_train), y_train)
    loss = fit + penalty * sum((w**2).sum() for w in net.parameters()) / 2
    loss.backward()
    return loss


for outer in range(12):
    loss = lbfgs.step(closure)
    with torch.no_grad():
        test = torch.nn.functional.mse_loss(net(X_test), y_test)
    print(f"{outer:2d} objective {loss.item():.4f} test {test.item():.4f}")
