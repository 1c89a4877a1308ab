r"""Logistic and softmax regression by maximum likelihood.

.. math::
    E=-\frac1N\sum_n\log p(y_n\mid x_n)+\frac\gamma2\lVert W\rVert^2, \qquad
    p=\sigma(w^\top x+b) \;\text{ or }\; \operatorname{softmax}(W^\top x+b)

The bias is not penalized. scikit-learn's ``C`` is :math:`1/(\gamma N)`. With :math:`\gamma=0` and
separable classes the likelihood has no maximum, since larger weights are always better; then both fits
refuse. One class that can be separated from the others is enough.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.errors import InvalidValue, require
from gradatim.linear.affine import LinearClassifier
from gradatim.linear.descent import with_ones
from gradatim.linear.inputs import Array, as_design, as_labels
from gradatim.linear.overlap import LARGEST, classes_overlap


def _no_maximum(owner: str) -> InvalidValue:
    return InvalidValue(
        f"{owner}: weight_decay must be positive when the classes can be separated or the columns "
        "of X depend on each other, got 0. Try weight_decay=1e-4."
    )


def _standardize(owner: str, X: Array, weight_decay: float) -> tuple[Tensor, Tensor, Tensor]:
    """Centre and scale the columns so that every weight has a curvature of order one."""
    rule = f"{owner}: weight_decay must be zero or positive"
    require(weight_decay >= 0, rule, weight_decay, "Try 1e-4.")
    design = as_design(owner, X)
    mean, variance = design.mean(0), design.var(0, correction=0)
    scale = torch.sqrt(variance + weight_decay)
    scale = torch.where(scale > 0, scale, 1.0)
    return (design - mean) / scale, mean, scale


def _newton(design: Tensor, target: Tensor, decay: Tensor, max_steps: int) -> Tensor | None:
    """Weights at the minimum, or None where the curvature vanishes."""

    def objective(theta: Tensor) -> Tensor:
        loss = F.binary_cross_entropy_with_logits(design @ theta, target)
        return loss + (decay * theta.square()).sum() / 2

    theta = torch.zeros_like(decay)
    for _ in range(max_steps):
        p = torch.sigmoid(design @ theta)
        gradient = design.T @ (p - target) / len(design) + decay * theta
        curvature = (design * (p * (1 - p))[:, None]).T @ design / len(design) + decay.diag()
        factor, failed = torch.linalg.cholesky_ex(curvature)
        diagonal = factor.diagonal()
        if failed or diagonal.min() <= 1e-7 * diagonal.max():
            return None
        direction = torch.cholesky_solve(gradient[:, None], factor)[:, 0]
        size, now = 1.0, objective(theta)
        while objective(theta - size * direction) > now and size > 1e-8:
            size /= 2
        theta = theta - size * direction
        if gradient @ direction < 1e-20:
            break
    return theta


def fit_logistic(
    X: Array, y: Array, *, weight_decay: float = 0.0, max_steps: int = 100
) -> LinearClassifier:
    r"""Fit two classes by Newton's method (iteratively reweighted least squares).

    .. math::
        \nabla E=\frac1N A^\top(p-y)+\gamma w, \qquad
        H=\frac1N A^\top\operatorname{diag}(p(1-p))A+\gamma I_w

    with :math:`A=[X,1]`; a step is halved until the objective falls.

    Args:
        X: Inputs, shape ``(N, d)``.
        y: Integer labels of two classes, shape ``(N,)``.
        weight_decay: :math:`\gamma\ge0`.
        max_steps: Most Newton steps; a dozen is usual.

    Example:
        >>> X, y = torch.tensor([0.0, 1.0, 2.0, 3.0]), torch.tensor([0, 1, 0, 1])
        >>> fit_logistic(X, y).probabilities(torch.tensor([1.5]))
        tensor([[0.5000, 0.5000]], dtype=torch.float64)
    """
    design, mean, scale = _standardize("fit_logistic", X, weight_decay)
    classes, indices = as_labels("fit_logistic", y, len(design))
    rule = "fit_logistic: y must hold two classes"
    require(len(classes) == 2, rule, len(classes), "Try fit_softmax.")
    target = indices.double()
    design = with_ones(design)  # (N, d + 1), the last column is the bias
    decay = torch.cat([weight_decay / scale.square(), torch.zeros(1, dtype=scale.dtype)])
    theta = _newton(design, target, decay, max_steps)
    if theta is None or (weight_decay == 0 and ((design @ theta) * (2 * target - 1)).min() > 0):
        raise _no_maximum("fit_logistic")
    weight = theta[:-1] / scale
    return LinearClassifier(weight, theta[-1] - mean @ weight, classes)


def fit_softmax(
    X: Array, y: Array, *, weight_decay: float = 0.0, max_steps: int = 2000
) -> LinearClassifier:
    r"""Fit two or more classes by L-BFGS, from zero weights.

    Adding one vector to the weights of every class changes no probability. From zero, descent stays
    among the weights that sum to zero over the classes. Without a penalty, classes that can be separated
    are refused: one from the others up to 500 weights, by linear programming; all of them beyond.

    Args:
        X: Inputs, shape ``(N, d)``.
        y: Integer labels, shape ``(N,)``.
        weight_decay: :math:`\gamma\ge0`.
        max_steps: Most steps.

    Example:
        >>> X = torch.tensor([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
        >>> fit_softmax(X, torch.tensor([0, 0, 1, 1, 2, 2]), weight_decay=0.01).predict(X)
        tensor([0, 0, 1, 1, 2, 2])
    """
    design, mean, scale = _standardize("fit_softmax", X, weight_decay)
    classes, indices = as_labels("fit_softmax", y, len(design))
    is_small = len(classes) * (design.shape[1] + 1) <= LARGEST
    if weight_decay == 0 and is_small and not classes_overlap(design, indices, len(classes)):
        raise _no_maximum("fit_softmax")
    weight = torch.zeros(design.shape[1], len(classes), dtype=design.dtype, requires_grad=True)
    bias = torch.zeros(len(classes), dtype=design.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weight, bias],
        max_iter=max_steps,
        max_eval=2 * max_steps,
        tolerance_grad=1e-10,
        tolerance_change=1e-14,
        history_size=20,
        line_search_fn="strong_wolfe",
    )

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(design @ weight + bias, indices)
        loss = loss + weight_decay / 2 * (weight / scale[:, None]).square().sum()
        loss.backward()
        return loss

    with torch.enable_grad():
        optimizer.step(closure)
    slopes = weight.detach() / scale[:, None]
    fit = LinearClassifier(slopes, bias.detach() - mean @ slopes, classes)
    if weight_decay == 0 and not is_small and torch.equal(fit.predict(X), classes[indices]):
        raise _no_maximum("fit_softmax")
    return fit
