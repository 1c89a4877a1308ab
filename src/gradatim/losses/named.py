"""Losses by name, all on raw outputs (logits), averaged over the batch."""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue, choose
from gradatim.losses.label_smoothing import smoothed_cross_entropy
from gradatim.losses.perceptron_loss import perceptron

Loss = Callable[[Tensor, Tensor], Tensor]


def align(output: Tensor, target: Tensor) -> Tensor:
    """Give ``target`` the shape of ``output``, so that ``(B, 1)`` and ``(B,)`` never broadcast to ``(B, B)``."""
    if target.shape == output.shape:
        return target
    if target.numel() != output.numel():
        raise InvalidValue(
            f"loss: target must have as many values as the output {tuple(output.shape)}, "
            f"got {tuple(target.shape)}. Change the last layer or the target."
        )
    return target.reshape(output.shape)


def cross_entropy(output: Tensor, target: Tensor) -> Tensor:
    r""":math:`-\frac1B\sum_i \log\operatorname{softmax}(z_i)_{y_i}` for class indices or class probabilities ``y``."""
    return F.cross_entropy(output, target)


def bce(output: Tensor, target: Tensor) -> Tensor:
    r""":math:`-\frac1B\sum_i y_i\log\sigma(z_i) + (1-y_i)\log(1-\sigma(z_i))`."""
    return F.binary_cross_entropy_with_logits(output, align(output, target).to(output.dtype))


def mse(output: Tensor, target: Tensor) -> Tensor:
    r""":math:`\frac1B\sum_i (f_i - y_i)^2`."""
    return F.mse_loss(output, align(output, target))


def sse(output: Tensor, target: Tensor) -> Tensor:
    r""":math:`\sum_i (f_i - y_i)^2`, twice the negative log-likelihood of unit Gaussian noise."""
    return F.mse_loss(output, align(output, target), reduction="sum")


def mae(output: Tensor, target: Tensor) -> Tensor:
    r""":math:`\frac1B\sum_i |f_i - y_i|`."""
    return F.l1_loss(output, align(output, target))


def huber(output: Tensor, target: Tensor) -> Tensor:
    r"""Squared below one, linear above: :math:`\frac1B\sum_i h(f_i - y_i)`, :math:`h(e)=\min(e^2/2, |e|-1/2)`."""
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
