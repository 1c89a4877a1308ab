import torch
from torch import nn
from torch.func import functional_call, grad, stack_module_state, vmap

torch.manual_seed(0)
X = torch.rand(800, 2) * 2 - 1
Y = (X[:, :1] * X[:, 1:]) * 2 + 0.05 * torch.randn(800, 1)


def make():
    return nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))


models = [make() for _ in range(4)]
params, buffers = stack_module_state(models)
base = make().to("meta")


def loss_fn(p, b, x, y):
    return nn.functional.mse_loss(functional_call(base, (p, b), (x,)), y)


grad_fn = vmap(grad(loss_fn), in_dims=(0, 0, None, None))
params = {k: v.detach() for k, v in params.items()}
momentum = {k: torch.zeros_like(v) for k, v in params.items()}
for step in range(500):
    i = torch.randint(0, 600, (64,))
    g = grad_fn(params, buffers, X[i], Y[i])
    for k in params:
        momentum[k] = 0.9 * momentum[k] + g[k]
        params[k] = params[k] - 0.05 * momentum[k]
    if step % 100 == 99:
        print(step + 1, vmap(loss_fn, in_dims=(0, 0, None, None))(params, buffers, X[600:], Y[600:]).tolist())
