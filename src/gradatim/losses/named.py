"""Losses by name, all on raw outputs (logits), averaged over the batch."""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue, choose
from gradatim.losses.label_smoothing import smoothed_cross_entropy
from gradatim.losses.perceptron_loss import perceptron

Loss = Callable[[Tensor, Tensor], Tensor]


def align(output: Tensor, target: Tensor) -> Tensor:
    """Give ``target`` the shape of ``output``, so that ``(B, 1)`` and ``(B,)`` never broadcast to ``(B, B)``.

    Args:
        output: Of a model.
        target: As many values.

    Example:
        >>> import torch
        >>> align(torch.zeros(3, 1), torch.ones(3)).shape
        torch.Size([3, 1])
    """
    if target.shape == output.shape:
        return target
    if target.numel() != output.numel():
        raise InvalidValue(
            f"loss: target must have as many values as the output {tuple(output.shape)}, "
            f"got {tuple(target.shape)}. Change the last layer or the target."
        )
    return target.reshape(output.shape)


def cross_entropy(output: Tensor, target: Tensor) -> Tensor:
    r"""Compare classes, :math:`-\frac1B\sum_i \log\operatorname{softmax}(z_i)_{y_i}`.

    Args:
        output: Logits :math:`z`, shape ``(B, K)``.
        target: Class numbers ``(B,)`` or class probabilities ``(B, K)``.

    Example:
        >>> import torch
        >>> cross_entropy(torch.zeros(1, 2), torch.tensor([1]))  # log 2
        tensor(0.6931)
    """
    return F.cross_entropy(output, target)


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


def huber(output: Tensor, target: Tensor) -> Tensor:
    r"""Squared below one, linear above: :math:`\frac1B\sum_i h(f_i - y_i)`, :math:`h(e)=\min(e^2/2, |e|-1/2)`.

    Args:
        output: Predictions :math:`f`.
        target: Values :math:`y`, as many.

    Example:
        >>> import torch
        >>> huber(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 3.0]))  # 0.5 and 2.5
        tensor(1.5000)
    """
    return F.huber_loss(output, align(output, target))


LOSSES: dict[str, Loss] = {
    "cross_entropy": cross_entropy,
    "bce": bce,
    "mse": mse,
    "sse": sse,
    "mae": mae,
    "huber": huber,
    "perceptron": perceptron,
    "smoothed_cross_entropy": smoothed_cross_entropy(0.1),
}


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
