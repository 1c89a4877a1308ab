"""DeepFool: make the classifier linear where you are, go to the nearest boundary, and again."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.robust.nearest_boundary import nearest_boundary
from gradatim.robust.norms import Norm, read_norm
from gradatim.robust.victim import (
    Bounds,
    check_target,
    class_scores,
    input_gradient,
    run_attack,
)


@takes_arrays
def deepfool(
    model: nn.Module,
    x: Tensor,
    *,
    norm: Norm = 2,
    steps: int = 50,
    overshoot: float = 0.02,
    candidates: int = 10,
    bounds: Bounds | None = None,
    target: Tensor | None = None,
) -> Tensor:
    r"""Look for the smallest perturbation that changes the model's answer.

    .. math::
        f_k(z+\delta)\approx f_k(z)+\nabla f_k(z)^\top\delta, \qquad
        \delta_t=\text{shortest way to a boundary of the linear model}, \qquad
        z_{t+1}=x+(1+\rho)\sum_{s\le t}\delta_s

    until the class changes. On an affine classifier one step is enough, and the perturbation is
    :math:`1+\rho` times that of :func:`affine_perturbation`. Otherwise it is an upper bound on the smallest one.

    With a ``target`` every step goes to the boundary between that class and the one that leads at :math:`z_t`, until the
    model answers ``target``. Where a third class takes the lead on the way, an affine classifier needs several steps too.

    Args:
        model: A classifier that returns scores ``(B, K)``, or one logit per sample for two classes. It is
            left as it was: parameters, gradients, buffers and mode.
        x: :math:`x`, shape ``(B, ...)``.
        norm: In which to be small: 1, 2 or ``"inf"``.
        steps: Largest number of steps.
        overshoot: :math:`\rho`, which carries the point across the boundary.
        candidates: How many other classes to consider, those with the highest scores at :math:`x`.
        bounds: Least and largest value of an entry, such as ``(0, 1)`` for images. The linear model is
            solved within them; the original method has none.
        target: The answer wanted, shape ``(B,)``; by default any other one. A sample that has it stays as it is.

    Returns:
        Perturbed inputs, shape of ``x``; where no change was found, the last attempt.

    Example:
        >>> model = nn.Linear(2, 1)
        >>> model.weight.data, model.bias.data = torch.tensor([[3.0, 4.0]]), torch.tensor([-5.0])
        >>> deepfool(model, torch.zeros(1, 2), overshoot=0.01)
        tensor([[0.6060, 0.8080]])

    Reference:
        Moosavi-Dezfooli, Fawzi and Frossard, DeepFool: A Simple and Accurate Method to Fool Deep Neural
        Networks, 2016.
    """
    p = read_norm("deepfool", norm)
    require_whole("deepfool", steps=steps, candidates=candidates)
    require(overshoot >= 0, "deepfool: overshoot must be at least 0", overshoot, "Try 0.02.")

    def attack(x: Tensor, wanted: Tensor | None = None) -> Tensor:
        z, rows = x.clone(), torch.arange(len(x), device=x.device)
        ranking = _rank(_scores(model, x), candidates, wanted)
        if wanted is not None:
            rows = rows[ranking[:, 0] != wanted]
        total = torch.zeros_like(x.flatten(1))
        for _ in range(steps):
            if not len(rows):
                break
            gaps, normals = _linearize(model, z[rows], ranking[rows])
            box = None
            if bounds is not None:
                low, high = bounds
                box = (low - z[rows].flatten(1), high - z[rows].flatten(1))
            total[rows] += nearest_boundary(gaps, normals, p, box).perturbation
            moved = x[rows] + (1 + overshoot) * total[rows].reshape(-1, *x.shape[1:])
            z[rows] = moved if bounds is None else moved.clamp(*bounds)
            leader = _scores(model, z[rows]).argmax(1)
            if wanted is None:
                rows = rows[leader == ranking[rows, 0]]
            else:
                ranking[rows, 0] = leader
                rows = rows[leader != wanted[rows]]
        return z

    return run_attack("deepfool", model, attack, x, target, bounds, "target")


@torch.no_grad()
def _scores(model: nn.Module, z: Tensor) -> Tensor:
    return class_scores("deepfool", model, z)


def _rank(scores: Tensor, candidates: int, wanted: Tensor | None) -> Tensor:
    """The leading class and those that may take over: the next ones, or the one that is wanted."""
    if wanted is None:
        return scores.argsort(1, descending=True)[:, : candidates + 1]
    check_target("deepfool", wanted, scores.shape[1])
    return torch.stack([scores.argmax(1), wanted], 1)


def _linearize(model: nn.Module, z: Tensor, ranking: Tensor) -> tuple[Tensor, Tensor]:
    """Gaps ``(B, C)`` and normals ``(B, C, d)`` between the first class of ``ranking`` and the others."""
    z = z.detach().requires_grad_()
    scores = class_scores("deepfool", model, z)
    present = torch.zeros_like(scores).scatter_(1, ranking[:, :1], -1.0)
    normals = [
        input_gradient("deepfool", scores, z, present.scatter(1, other, 1.0), keep=True).flatten(1)
        for other in ranking[:, 1:].split(1, dim=1)
    ]
    ranked = scores.detach().gather(1, ranking)
    return ranked[:, :1] - ranked[:, 1:], torch.stack(normals, 1)
