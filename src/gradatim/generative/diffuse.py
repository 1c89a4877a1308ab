"""From data to any level of noise in one step."""

from torch import Tensor

from gradatim.array_arguments import takes_arrays


def beside(values: Tensor, x: Tensor) -> Tensor:
    """One value per row, or one for all, in a shape that multiplies rows of ``x``.

    >>> import torch
    >>> beside(torch.zeros(5), torch.zeros(5, 1, 8, 8)).shape
    torch.Size([5, 1, 1, 1])
    """
    return values.reshape(-1, *[1] * (x.ndim - 1)) if values.ndim else values


@takes_arrays
def diffuse(x0: Tensor, noise: Tensor, alpha_bar: Tensor) -> Tensor:
    r"""Noise data to the level :math:`\bar\alpha_t` in one step.

    .. math:: x_t = \sqrt{\bar\alpha_t}\,x_0 + \sqrt{1-\bar\alpha_t}\,\epsilon

    It has the distribution that :math:`x_s = \sqrt{1-\beta_s}\,x_{s-1} + \sqrt{\beta_s}\,\epsilon_s` has after :math:`t` steps. Data of
    energy :math:`\mathbb E\lVert x_0\rVert^2 = d` keep it.

    Args:
        x0: Data, shape ``(B, ...)``.
        noise: :math:`\epsilon \sim N(0, I)`, shape of ``x0``.
        alpha_bar: :math:`\bar\alpha_t`, shape ``(B,)``, or one number for all.

    Example:
        >>> import torch
        >>> diffuse(torch.ones(1, 2), torch.zeros(1, 2), torch.tensor([0.25]))
        tensor([[0.5000, 0.5000]])

    Reference:
        Ho et al., Denoising Diffusion Probabilistic Models, 2020, eq. 4.
    """
    share = beside(alpha_bar, x0)
    return share.sqrt() * x0 + (1 - share).clamp(min=0).sqrt() * noise
