import torch
from torch import nn
from torch.func import functional_call, grad_and_value

torch.manual_seed(0)
X = torch.randn(1200, 8)
Y = torch.tanh(X @ torch.randn(8, 8)) @ torch.randn(8, 1)
Y = Y / Y.std()
net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
params = {k: v.detach().clone() for k, v in net.named_parameters()}
LR = 1.5


def loss_fn(params, x, y):
    return nn.functional.mse_loss(functional_call(net, params, (x,)), y)


step_fn = grad_and_value(loss_fn)
for step in range(400):
    i = torch.randint(0, 1000, (50,))
    grads, loss = step_fn(params, X[i], Y[i])
    params = {k: p - LR * grads[k] for k, p in params.items()}
    if step % 80 == 0 or step == 399:
        print(step, loss.item(), loss_fn(params, X[1000:], Y[1000:]).item())
