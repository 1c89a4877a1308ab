"""The path of any optimizer down a function of a vector."""

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from gradatim.array_arguments import takes_arrays
from gradatim.instruments.convergence import DescentPath
from gradatim.instruments.vector_objective import VectorObjective
from gradatim.optim.named import OptimizerFactory, build_optimizer


@takes_arrays
def trajectory(
    optimizer: str | OptimizerFactory,
    function: VectorObjective,
    start: Tensor,
    *,
    lr: float,
    steps: int,
) -> DescentPath:
    """Follow an optimizer down a function, with the exact gradient at every step.

    Args:
        optimizer: Name from :data:`~gradatim.optim.OPTIMIZERS` or factory ``(parameter_groups, lr) -> Optimizer``.
        function: Scalar function of a vector, in operations that ``torch.func.vmap`` knows.
        start: First point, shape ``(d,)``.
        lr: Learning rate.
        steps: Calls of ``step``.

    Returns:
        Points after each step, with values and gradient norms there.

    Example:
        >>> path = trajectory("sgd", lambda w: w.square().sum(), torch.tensor([1.0]), lr=0.25, steps=2)
        >>> path.points.flatten()
        tensor([1.0000, 0.5000, 0.2500])
    """
    point = nn.ParameterList([start.detach().clone()])
    rule: Optimizer = build_optimizer(optimizer, point, lr=lr)

    def closure() -> Tensor:
        rule.zero_grad()
        value = function(point[0])
        value.backward()
        return value

    points = [start.detach().clone()]
    for _ in range(steps):
        rule.step(closure)  # type: ignore[arg-type]
        points.append(point[0].detach().clone())
    path = torch.stack(points)
    slopes = torch.func.vmap(torch.func.grad(function))(path)
    with torch.no_grad():
        values = torch.func.vmap(function)(path)
    return DescentPath(path, values, slopes.norm(dim=1))
