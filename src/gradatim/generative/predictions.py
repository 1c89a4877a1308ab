"""What a network may be asked of noisy data: the noise, the data, or the velocity between them; each gives the others."""

from typing import NamedTuple

from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose
from gradatim.generative.diffuse import beside, diffuse

PREDICTIONS = ("noise", "x0", "v")


class Denoised(NamedTuple):
    """Noisy data taken apart.

    Attributes:
        x0: What the data would be.
        noise: What the noise would be.
    """

    x0: Tensor
    noise: Tensor


@takes_arrays
def prediction_target(predict: str, x0: Tensor, noise: Tensor, alpha_bar: Tensor) -> Tensor:
    r"""What the network should answer.

    .. math:: \epsilon, \qquad x_0, \qquad \text{or} \qquad v = \sqrt{\bar\alpha}\,\epsilon - \sqrt{1-\bar\alpha}\,x_0

    Args:
        predict: ``"noise"``, ``"x0"`` or ``"v"``.
        x0: Data, shape ``(B, ...)``.
        noise: :math:`\epsilon`, shape of ``x0``.
        alpha_bar: :math:`\bar\alpha`, shape ``(B,)`` or one number.

    Example:
        >>> import torch
        >>> prediction_target("v", torch.ones(1, 1), torch.zeros(1, 1), torch.tensor(0.75))
        tensor([[-0.5000]])

    Reference:
        Salimans and Ho, Progressive Distillation for Fast Sampling of Diffusion Models, 2022.
    """
    choose("prediction_target", "predict", predict, PREDICTIONS)
    if predict == "v":
        return diffuse(noise, -x0, alpha_bar)
    return noise if predict == "noise" else x0


@takes_arrays
def read_prediction(predict: str, answer: Tensor, x_t: Tensor, alpha_bar: Tensor) -> Denoised:
    r"""Data and noise, from what the network answered at :math:`x_t = \sqrt{\bar\alpha}\,x_0 + \sqrt{1-\bar\alpha}\,\epsilon`.

    Args:
        predict: ``"noise"``, ``"x0"`` or ``"v"``.
        answer: What the network said, shape ``(B, ...)``.
        x_t: What it was shown, of the same shape.
        alpha_bar: :math:`\bar\alpha`, strictly between 0 and 1, shape ``(B,)`` or one number.

    Example:
        >>> import torch
        >>> read_prediction("noise", torch.ones(1, 1), torch.ones(1, 1), torch.tensor(0.25)).x0
        tensor([[0.2679]])
    """
    choose("read_prediction", "predict", predict, PREDICTIONS)
    share = beside(alpha_bar, x_t)
    signal, spread = share.sqrt(), (1 - share).sqrt()
    if predict == "noise":
        return Denoised((x_t - spread * answer) / signal, answer)
    if predict == "x0":
        return Denoised(answer, (x_t - signal * answer) / spread)
    return Denoised(signal * x_t - spread * answer, spread * x_t + signal * answer)
