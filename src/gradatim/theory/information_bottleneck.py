r"""The information bottleneck: forget of x what does not tell of y.

.. math:: \min_{p(t|x)}\; I(X;T) - \beta\,I(T;Y), \qquad T - X - Y
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.randomness import seeded


class Bottleneck(NamedTuple):
    r"""A representation of x.

    Args:
        encoder: :math:`p(t|x)`, shape ``(X, T)``.
        marginal: :math:`p(t)`, shape ``(T,)``.
        decoder: :math:`p(y|t)`, shape ``(T, Y)``.
        kept: :math:`I(X;T)` in nats.
        told: :math:`I(T;Y)` in nats.
        objective: :math:`I(X;T)-\beta I(T;Y)` before the first and after every step.
    """

    encoder: Tensor
    marginal: Tensor
    decoder: Tensor
    kept: float
    told: float
    objective: Tensor


@takes_arrays
def mutual_information(joint: Tensor) -> Tensor:
    r"""Mutual information in nats.

    .. math:: I(X;Y) = \sum_{x,y} p(x,y)\,\log\frac{p(x,y)}{p(x)\,p(y)}

    Args:
        joint: :math:`p(x,y)`, shape ``(..., X, Y)``, of sum 1.

    Example:
        >>> mutual_information(torch.eye(2) / 2)  # log 2
        tensor(0.6931)
    """
    apart = joint.sum(-1, keepdim=True) * joint.sum(-2, keepdim=True)
    return (torch.xlogy(joint, joint) - torch.xlogy(joint, apart)).sum((-2, -1))


def _check(joint: Tensor, beta: float) -> None:
    sums_to_one = joint.dim() == 2 and bool(joint.ge(0).all()) and abs(joint.sum().item() - 1) < 1e-6  # fmt: skip
    require(sums_to_one, "information_bottleneck: p_xy must be a matrix of probabilities of sum 1", f"shape {tuple(joint.shape)}, sum {joint.sum().item():g}", "Try counts / counts.sum().")  # fmt: skip
    require(bool(joint.sum(1).gt(0).all()), "information_bottleneck: every x of p_xy must have a positive probability", "a row of zeros", "Leave it out.")  # fmt: skip
    require(beta >= 0, "information_bottleneck: beta must be at least 0", beta)


@takes_arrays
def information_bottleneck(
    p_xy: Tensor,
    beta: float,
    *,
    size: int | None = None,
    max_steps: int = 2000,
    tol: float = 1e-12,
    seed: int = 0,
) -> Bottleneck:
    r"""Find a representation of a finite alphabet by the self-consistent iteration.

    .. math::
        p(t|x) \propto p(t)\,e^{-\beta\,D_\mathrm{KL}(p(y|x)\,\|\,p(y|t))}, \qquad
        p(t) = \sum_x p(x)\,p(t|x), \qquad p(y|t) = \frac1{p(t)}\sum_x p(x,y)\,p(t|x)

    Each step lowers :math:`I(X;T)-\beta I(T;Y)` or leaves it, like the iteration of Blahut and Arimoto. The problem is not convex:
    try several seeds. For :math:`\beta \le 1` everything is forgotten; at
    :math:`\beta=\infty` every x goes to the one letter that tells of y most like it, as in k-means, which may end at a local minimum.

    Args:
        p_xy: :math:`p(x,y)`, shape ``(X, Y)``.
        beta: :math:`\beta`, what a nat about y is worth in nats about x; infinity decides hard.
        size: Letters of T, by default as many as x has.
        max_steps: Steps at most.
        tol: Change of the objective below which it ends.
        seed: Of the first :math:`p(t|x)`.

    Example:
        >>> p_xy = torch.tensor([[0.25, 0.0], [0.25, 0.0], [0.0, 0.5]])  # the first two letters say the same
        >>> found = information_bottleneck(p_xy, 50.0, seed=1)
        >>> round(found.kept, 3), round(found.told, 3)  # both log 2: which of the two it was is forgotten
        (0.693, 0.693)

    Reference:
        Tishby, Pereira and Bialek, The information bottleneck method, 1999.
    """
    p = p_xy.double()
    _check(p, beta)
    letters = size or len(p)
    require(letters >= 1, "information_bottleneck: size must be at least 1", size)
    p_x = p.sum(1)
    p_y_x = p / p_x[:, None]
    with seeded(seed):
        encoder = torch.distributions.Dirichlet(torch.ones(letters).double()).sample((len(p),))
    objective = [_objective(encoder, p, p_x, beta)]
    for _ in range(max_steps):
        encoder = _step(encoder, p, p_x, p_y_x, beta)
        objective.append(_objective(encoder, p, p_x, beta))
        if abs(objective[-2] - objective[-1]) <= tol:
            break
    marginal, decoder = _summarize(encoder, p, p_x)
    kept, told = _informations(encoder, p, p_x)
    return Bottleneck(
        encoder, marginal, decoder, kept, told, torch.tensor(objective, dtype=torch.float64)
    )


def _summarize(encoder: Tensor, p: Tensor, p_x: Tensor) -> tuple[Tensor, Tensor]:
    """p(t) and p(y|t); a letter that is never used says what y is in general."""
    marginal = p_x @ encoder  # (T,)
    joint = encoder.T @ p  # (T, Y)
    is_used = marginal[:, None] > 0
    return marginal, torch.where(is_used, joint / marginal[:, None].clamp(min=1e-300), p.sum(0))


def _step(encoder: Tensor, p: Tensor, p_x: Tensor, p_y_x: Tensor, beta: float) -> Tensor:
    marginal, decoder = _summarize(encoder, p, p_x)
    entropy = torch.xlogy(p_y_x, p_y_x).sum(1)  # of minus sign
    divergence = entropy[:, None] - p_y_x @ decoder.log().clamp(min=-1e300).T  # (X, T)
    divergence = divergence.masked_fill(marginal == 0, torch.inf)
    if beta == torch.inf:
        return torch.nn.functional.one_hot(divergence.argmin(1), len(marginal)).to(encoder)
    return torch.softmax(marginal.log() - beta * divergence if beta else marginal.log().expand_as(divergence), 1)  # fmt: skip


def _informations(encoder: Tensor, p: Tensor, p_x: Tensor) -> tuple[float, float]:
    kept = mutual_information(p_x[:, None] * encoder).item()
    return kept, mutual_information(encoder.T @ p).item()


def _objective(encoder: Tensor, p: Tensor, p_x: Tensor, beta: float) -> float:
    kept, told = _informations(encoder, p, p_x)
    return -told if beta == torch.inf else kept - beta * told
