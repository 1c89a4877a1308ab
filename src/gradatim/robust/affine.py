r"""The smallest perturbation that changes the mind of an affine classifier, in closed form.

.. math::
    f(x)=\operatorname*{argmax}_k w_k^\top x+b_k, \qquad
    \lVert\eta\rVert_p=\min_{k\ne i}\frac{f_i(x)-f_k(x)}{\lVert w_k-w_i\rVert_q}, \quad \frac1p+\frac1q=1

The norm decides what it looks like: :math:`\ell_2` follows the difference of the weights,
:math:`\ell_\infty` moves every coordinate equally far, :math:`\ell_1` a single one.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.robust.nearest_boundary import nearest_boundary
from gradatim.robust.norms import Norm, read_norm
from gradatim.robust.victim import Bounds, check_bounds, check_target, read_labels


class AffinePerturbation(NamedTuple):
    """The way to the nearest decision boundary.

    Args:
        perturbation: It ends on the boundary; go a little further to be across. Shape ``(B, d)``.
        distance: Its norm, infinite where no boundary can be reached; shape ``(B,)``.
        label: The class on this side, shape ``(B,)``.
        other: The class on the other side, shape ``(B,)``.
    """

    perturbation: Tensor
    distance: Tensor
    label: Tensor
    other: Tensor


@takes_arrays
def affine_perturbation(
    weight: Tensor,
    bias: Tensor,
    x: Tensor,
    *,
    norm: Norm = 2,
    bounds: Bounds | None = None,
    target: Tensor | None = None,
) -> AffinePerturbation:
    r"""Find the smallest :math:`\eta` for which :math:`f(x+\eta)` leaves the class of :math:`x`.

    With a ``target`` :math:`j` it is the smallest that brings that class level with the present one,
    :math:`\lVert\eta\rVert_p=(f_i(x)-f_j(x))/\lVert w_j-w_i\rVert_q`. Beyond two classes a third one may lead there: then
    the distance is a lower bound on that of the answer :math:`j`, and :func:`deepfool` goes on.

    Args:
        weight: :math:`w_k` as rows, shape ``(K, d)``, as in ``nn.Linear``; one row is one logit, whose
            sign decides between two classes.
        bias: :math:`b`, shape ``(K,)``.
        x: Points, shape ``(B, d)``.
        norm: :math:`p`: 1, 2 or ``"inf"``.
        bounds: Least and largest value that an entry of :math:`x+\eta` may have.
        target: :math:`j`, the class on the other side, shape ``(B,)``; by default the one whose boundary is nearest.

    Example:
        >>> weight, bias = torch.tensor([[3.0, 4.0]]), torch.tensor([-5.0])
        >>> for p in (2, 1, "inf"):
        ...     eta, distance, *_ = affine_perturbation(weight, bias, torch.zeros(1, 2), norm=p)
        ...     print(p, eta, distance)
        2 tensor([[0.6000, 0.8000]]) tensor([1.])
        1 tensor([[0.0000, 1.2500]]) tensor([1.2500])
        inf tensor([[0.7143, 0.7143]]) tensor([0.7143])

    Reference:
        Moosavi-Dezfooli, Fawzi and Frossard, DeepFool, 2016, sections 2 and 3.3.
    """
    p = read_norm("affine_perturbation", norm)
    rule = "affine_perturbation: weight and x must have shapes (K, d) and (B, d)"
    got = f"{tuple(weight.shape)} and {tuple(x.shape)}"
    require(weight.ndim == 2 and x.ndim == 2 and x.shape[1] == weight.shape[1], rule, got)
    if len(weight) == 1:
        zero = torch.zeros_like(weight)
        weight, bias = torch.cat([zero, weight]), torch.cat([torch.zeros_like(bias), bias])
    scores = x @ weight.t() + bias  # (B, K)
    label = scores.argmax(1)
    if target is None:
        others = _other_classes(label, len(weight))  # (B, K - 1)
    else:
        others = read_labels("affine_perturbation", x, target, "target").unsqueeze(1)  # (B, 1)
        check_target("affine_perturbation", others, len(weight))
    gaps = scores.gather(1, label.unsqueeze(1)) - scores.gather(1, others)
    normals = weight[others] - weight[label].unsqueeze(1)  # (B, K - 1, d)
    box = None
    if bounds is not None:
        low, high = check_bounds("affine_perturbation", x, bounds)
        box = (low - x, high - x)
    eta, distance, place = nearest_boundary(gaps, normals, p, box)
    return AffinePerturbation(eta, distance, label, others.gather(1, place.unsqueeze(1)).squeeze(1))


def _other_classes(label: Tensor, num_classes: int) -> Tensor:
    """All classes but ``label``, shape ``(B, K - 1)``."""
    first = torch.arange(num_classes - 1, device=label.device)
    return first + (first >= label.unsqueeze(1)).long()
