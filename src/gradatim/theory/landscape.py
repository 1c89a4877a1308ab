"""Pictures and measures of the surface that training walks on: lines, planes, and how sharp a minimum is."""

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.instruments import VectorObjective
from gradatim.instruments.vector_objective import value_and_gradient


class Surface(NamedTuple):
    """Values of an objective on a plane through a point.

    Args:
        steps: Coordinates along both axes, shape ``(S,)``.
        values: Entry ``(i, j)`` is at ``steps[i]`` along the first and ``steps[j]`` along the second, shape ``(S, S)``.
    """

    steps: Tensor
    values: Tensor


def filter_normalized(model: nn.Module, *, generator: torch.Generator | None = None) -> Tensor:
    r"""A random direction whose parts are as long as those of the weights.

    .. math:: d_{ij} \leftarrow \frac{d_{ij}}{\lVert d_{ij}\rVert}\,\lVert\theta_{ij}\rVert

    for every filter :math:`j` (row of weights of a unit) of layer :math:`i`; biases and factors of normalization stay 0.
    ReLU networks compute the same when a layer grows and the next shrinks; without this their surfaces would look flat or
    sharp by scale alone.

    Args:
        model: Network at the point that is looked at.
        generator: Source of the direction.

    Returns:
        The direction in the order of :func:`~gradatim.instruments.network_objective`, shape ``(d,)``.

    Example:
        >>> direction = filter_normalized(nn.Linear(3, 2), generator=torch.Generator().manual_seed(0))
        >>> direction.shape, bool((direction[6:] == 0).all())
        (torch.Size([8]), True)

    Reference:
        Li et al., Visualizing the Loss Landscape of Neural Nets, 2018.
    """
    parts = []
    for p in model.parameters():
        if not p.requires_grad:
            continue
        if p.ndim < 2:
            parts.append(torch.zeros_like(p).flatten())
            continue
        weights = p.detach().flatten(1)
        drawn = torch.randn(weights.shape, generator=generator, dtype=p.dtype, device=p.device)
        parts.append((drawn / drawn.norm(dim=1, keepdim=True) * weights.norm(dim=1, keepdim=True)).flatten())  # fmt: skip
    rule = "filter_normalized: model must have a trainable parameter"
    require(parts, rule, "none", "Check requires_grad.")
    return torch.cat(parts)


@takes_arrays
def loss_line(function: VectorObjective, first: Tensor, second: Tensor, steps: Tensor) -> Tensor:
    r"""The objective on the line through two points, :math:`h((1-t)\theta_1+t\theta_2)`.

    Between two solutions of one problem it usually shows a barrier, unless the one began where the other had already been.

    Args:
        function: :math:`h`, a scalar function of a vector.
        first: :math:`\theta_1`, shape ``(d,)``.
        second: :math:`\theta_2`, shape ``(d,)``.
        steps: :math:`t`, 0 at the first and 1 at the second, shape ``(S,)``.

    Example:
        >>> loss_line(lambda w: w.square().sum(), [-1.0], [1.0], [0.0, 0.5, 1.0])
        tensor([1., 0., 1.])
    """
    return _evaluate(function, (first + t * (second - first) for t in steps))


@takes_arrays
def loss_surface(
    function: VectorObjective,
    point: Tensor,
    first: Tensor,
    second: Tensor,
    *,
    reach: float = 1.0,
    resolution: int = 21,
) -> Surface:
    r"""The objective on a plane through a point, :math:`h(\theta+ad_1+bd_2)`.

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.
        first: :math:`d_1`, such as :func:`filter_normalized`.
        second: :math:`d_2`.
        reach: Largest :math:`|a|` and :math:`|b|`.
        resolution: Values of each.

    Example:
        >>> h, origin = lambda w: w[0] ** 2 + 2 * w[1] ** 2, torch.zeros(2)
        >>> loss_surface(h, origin, [1.0, 0.0], [0.0, 1.0], resolution=3).values
        tensor([[3., 1., 3.],
                [2., 0., 2.],
                [3., 1., 3.]])
    """
    require_whole("loss_surface", resolution=resolution)
    require(reach > 0, "loss_surface: reach must be positive", reach)
    steps = torch.linspace(-reach, reach, resolution, dtype=point.dtype, device=point.device)
    values = _evaluate(function, (point + a * first + b * second for a in steps for b in steps))
    return Surface(steps, values.view(resolution, resolution))


@torch.no_grad()
def _evaluate(function: VectorObjective, points: Iterable[Tensor]) -> Tensor:
    return torch.stack([function(point) for point in points])


@takes_arrays
def sharpness(
    function: VectorObjective,
    point: Tensor,
    *,
    radius: float = 1e-2,
    max_steps: int = 20,
) -> float:
    r"""How much the objective rises within a box that is scaled to the weights.

    .. math:: \frac{\max_{|\delta_i|\le\epsilon(|\theta_i|+1)} h(\theta+\delta)-h(\theta)}{1+h(\theta)}\cdot 100

    in percent, the maximum by ascent along signs of gradients; a lower bound of the true one.

    Args:
        function: :math:`h\ge0`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.
        radius: :math:`\epsilon`.
        max_steps: Gradients for the ascent.

    Example:
        >>> round(sharpness(lambda w: w.square().sum(), torch.zeros(4), radius=0.1), 4)  # a corner of the box
        4.0

    Reference:
        Keskar et al., On Large-Batch Training for Deep Learning, 2017.
    """
    require_whole("sharpness", max_steps=max_steps)
    require(radius > 0, "sharpness: radius must be positive", radius, "Try 1e-2.")
    box = radius * (point.abs() + 1)
    start, gradient = value_and_gradient(function, point)
    highest, offset = start, torch.zeros_like(point)
    for k in range(max_steps):
        # at a minimum there is no gradient to follow: leave it first, in alternating directions
        signs = gradient.sign().where(gradient != 0, _alternate(point))
        offset = (offset + (box if k == 0 else box / 4) * signs).clamp(-box, box)
        value, gradient = value_and_gradient(function, point + offset)
        highest = torch.maximum(highest, value)
    return float(100 * (highest - start) / (1 + start))


def _alternate(like: Tensor) -> Tensor:
    return 1.0 - 2.0 * (torch.arange(len(like), device=like.device) % 2).to(like)
