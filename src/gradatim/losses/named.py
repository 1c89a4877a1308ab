"""Losses by name, all on raw outputs (logits), averaged over the batch."""

from collections.abc import Callable
from functools import partial

import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, choose, require
from gradatim.losses.aligning import align
from gradatim.losses.class_rows import class_rows
from gradatim.losses.focal import focal
from gradatim.losses.label_smoothing import smoothed_cross_entropy
from gradatim.losses.per_token import token_cross_entropy
from gradatim.losses.perceptron_loss import perceptron
from gradatim.losses.pinball import pinball_loss

Loss = Callable[[Tensor, Tensor], Tensor]


@takes_arrays
def cross_entropy(output: Tensor, target: Tensor) -> Tensor:
    r"""Compare classes, :math:`-\frac1B\sum_i \log\operatorname{softmax}(z_i)_{y_i}`.

    Steps, pixels or other places are rows like any others. A target of -100 is left out; places ``(B, T, K)`` that
    are nothing but that cost 0.

    Args:
        output: Logits :math:`z`, shape ``(B, K)``; of places ``(B, T, K)``, or ``(B, K, T)`` as in PyTorch. Where
            the shapes do not tell which of the two, it is refused.
        target: Class numbers ``(B,)``, of places ``(B, T)``; or class probabilities of the output's shape, ``(B, K)``
            or ``(B, K, T)``.

    Example:
        >>> import torch
        >>> cross_entropy(torch.zeros(1, 2), torch.tensor([1]))  # log 2
        tensor(0.6931)
        >>> cross_entropy(torch.zeros(1, 5, 2), torch.tensor([[1, 0, 1, 1, 0]]))
        tensor(0.6931)
    """
    rows, labels = class_rows("cross_entropy", output, target)
    return F.cross_entropy(output, target) if rows is output else token_cross_entropy(rows, labels)


@takes_arrays
def bce(output: Tensor, target: Tensor) -> Tensor:
    r"""Compare two classes, :math:`-\frac1B\sum_i y_i\log\sigma(z_i) + (1-y_i)\log(1-\sigma(z_i))`.

    Args:
        output: Logits :math:`z`.
        target: Zeros and ones, or probabilities, as many.

    Example:
        >>> import torch
        >>> bce(torch.zeros(2), torch.tensor([0, 1]))  # log 2
        tensor(0.6931)
    """
    return F.binary_cross_entropy_with_logits(output, align(output, target).to(output.dtype))


@takes_arrays
def mse(output: Tensor, target: Tensor) -> Tensor:
    r"""Average squared errors, :math:`\frac1B\sum_i (f_i - y_i)^2`.

    Args:
        output: Predictions :math:`f`.
        target: Values :math:`y`, as many.

    Example:
        >>> import torch
        >>> mse(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
        tensor(2.)
    """
    return F.mse_loss(output, align(output, target))


@takes_arrays
def sse(output: Tensor, target: Tensor) -> Tensor:
    r"""Add squared errors, :math:`\sum_i (f_i - y_i)^2`, twice the negative log-likelihood of unit Gaussian noise.

    Args:
        output: Predictions :math:`f`.
        target: Values :math:`y`, as many.

    Example:
        >>> import torch
        >>> sse(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
        tensor(4.)
    """
    return F.mse_loss(output, align(output, target), reduction="sum")


@takes_arrays
def mae(output: Tensor, target: Tensor) -> Tensor:
    r"""Average absolute errors, :math:`\frac1B\sum_i |f_i - y_i|`.

    Args:
        output: Predictions :math:`f`.
        target: Values :math:`y`, as many.

    Example:
        >>> import torch
        >>> mae(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
        tensor(1.)
    """
    return F.l1_loss(output, align(output, target))


@takes_arrays
def huber(output: Tensor, target: Tensor, delta: float = 1.0) -> Tensor:
    r"""Squared below :math:`\delta`, linear above.

    .. math:: \frac1B\sum_i h(f_i - y_i), \qquad
        h(e) = \begin{cases} e^2/2 & |e| \le \delta \\ \delta\,(|e| - \delta/2) & |e| > \delta \end{cases}

    For another :math:`\delta` pass ``partial(huber, delta=0.1)`` to a trainer.

    Args:
        output: Predictions :math:`f`.
        target: Values :math:`y`, as many.
        delta: :math:`\delta`, more than 0.

    Example:
        >>> import torch
        >>> huber(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 3.0]))  # 0.5 and 2.5
        tensor(1.5000)
        >>> huber(torch.tensor([0.0]), torch.tensor([3.0]), delta=2.0)  # 2 (3 - 1)
        tensor(4.)

    Reference:
        Huber, Robust Estimation of a Location Parameter, 1964.
    """
    require(delta > 0, "huber: delta must be more than 0", delta, "Try 1.0.")
    return F.huber_loss(output, align(output, target), delta=delta)


LOSSES: dict[str, Loss] = {
    "cross_entropy": cross_entropy,
    "bce": bce,
    "mse": mse,
    "sse": sse,
    "mae": mae,
    "huber": huber,
    "perceptron": perceptron,
    "focal": focal,
    "pinball": pinball_loss,
    "smoothed_cross_entropy": smoothed_cross_entropy(0.1),
}


def is_named(loss: object) -> bool:
    """Whether a loss is one of those with a name, or one with an argument of its own fixed by ``partial``.

    >>> is_named(mse), is_named(partial(huber, delta=2.0)), is_named(lambda output, target: output.mean())
    (True, True, False)
    """
    return (loss.func if isinstance(loss, partial) else loss) in LOSSES.values()


def build_loss(loss: str | Loss) -> Loss:
    """Return the loss called by a name, or the callable given.

    Args:
        loss: One of ``LOSSES``, or a function ``(output, target) -> scalar``.

    Example:
        >>> build_loss("mse") is mse
        True
    """
    if isinstance(loss, str):
        return LOSSES[choose("build_loss", "loss", loss, LOSSES)]
    if not callable(loss):
        raise InvalidType(
            f"build_loss: loss must be a name or a function (output, target) -> scalar, got {loss!r}. "
            f"Names: {', '.join(LOSSES)}."
        )
    return loss
