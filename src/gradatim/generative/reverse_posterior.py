r"""The step back when the data are known: the Gaussian :math:`q(x_{t-1} \mid x_t, x_0)`."""

from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.generative.diffuse import beside


@takes_arrays
def posterior_mean(x0: Tensor, x_t: Tensor, alpha_bar: Tensor, before: Tensor) -> Tensor:
    r"""Mean of :math:`q(x_s \mid x_t, x_0)` for an earlier step :math:`s`, usually :math:`t - 1`.

    .. math:: \tilde\mu = \frac{\sqrt{\bar\alpha_s}\,\beta}{1-\bar\alpha_t}\,x_0
        + \frac{\sqrt{1-\beta}\,(1-\bar\alpha_s)}{1-\bar\alpha_t}\,x_t, \qquad \beta = 1 - \frac{\bar\alpha_t}{\bar\alpha_s}

    It is this Gaussian with which the bound compares the model's :math:`p(x_{t-1} \mid x_t)`. Notes 002 print the indices
    shifted, as :math:`q(x_t \mid x_{t-1}, x_0)` against :math:`p(x_t \mid x_{t+1})`.

    Args:
        x0: Data, shape ``(B, ...)``.
        x_t: The same data with noise, shape of ``x0``.
        alpha_bar: :math:`\bar\alpha_t`, shape ``(B,)`` or one number, below 1.
        before: :math:`\bar\alpha_s \ge \bar\alpha_t`, of the same shape.

    Example:
        >>> import torch
        >>> posterior_mean(torch.ones(1, 1), torch.zeros(1, 1), torch.tensor(0.5), torch.tensor(1.0))
        tensor([[1.]])

    Reference:
        Ho et al., Denoising Diffusion Probabilistic Models, 2020, eq. 7.
    """
    now, then = beside(alpha_bar, x0), beside(before, x0)
    keep = now / then  # 1 - β
    return (then.sqrt() * (1 - keep) * x0 + keep.sqrt() * (1 - then) * x_t) / (1 - now)


@takes_arrays
def posterior_variance(alpha_bar: Tensor, before: Tensor) -> Tensor:
    r"""Variance of :math:`q(x_s \mid x_t, x_0)` per entry.

    .. math:: \tilde\beta = \frac{1-\bar\alpha_s}{1-\bar\alpha_t}\,\beta, \qquad \beta = 1 - \frac{\bar\alpha_t}{\bar\alpha_s}

    The variance :math:`\sigma_t^2` of the model's step back lies in :math:`[\tilde\beta_t, \beta_t]` (notes 002 print the ends the other way
    round): :math:`\tilde\beta_t` is right for data that are one point, :math:`\beta_t` for data that are standard Gaussian.

    Args:
        alpha_bar: :math:`\bar\alpha_t`, below 1.
        before: :math:`\bar\alpha_s \ge \bar\alpha_t`, of the same shape.

    Example:
        >>> import torch
        >>> posterior_variance(torch.tensor(0.5), torch.tensor(0.8))
        tensor(0.1500)
    """
    return (1 - before) / (1 - alpha_bar) * (1 - alpha_bar / before)
