r"""Stained tissue under the microscope: how much of each stain there is, and slices that were stained more or less.

Light that passes a stain is weakened exponentially (Lambert and Beer), so optical densities add up:

.. math:: D_c = -\ln\frac{255\,x_c + 1}{256}, \qquad D = M^\top a

The rows of :math:`M` are the colours of haematoxylin, eosin and diaminobenzidine, of length 1; :math:`a` are their amounts.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.flip_and_crop import check_images
from gradatim.errors import InvalidValue, require

# Optical densities of the three stains in red, green and blue: Ruifrok and Johnston, 2001, table 1.
STAINS = ((0.65, 0.70, 0.29), (0.07, 0.99, 0.11), (0.27, 0.57, 0.78))


def _colours(images: Tensor) -> Tensor:
    return F.normalize(torch.tensor(STAINS, dtype=images.dtype, device=images.device), dim=1)


@takes_arrays
def separate_stains(images: Tensor) -> Tensor:
    """Amounts of haematoxylin, eosin and diaminobenzidine at every pixel.

    Args:
        images: Values in [0, 1], shape ``(B, 3, H, W)``.

    Returns:
        Shape of ``images``; white has none of any.

    Example:
        >>> separate_stains(torch.ones(1, 3, 1, 1)).abs().max().item()
        0.0

    Reference:
        Ruifrok and Johnston, Quantification of Histochemical Staining by Color Deconvolution, 2001.
    """
    _check("separate_stains", images)
    density = -((255 * images + 1) / 256).log()  # (B, 3, H, W)
    return torch.einsum("bchw,cs->bshw", density, torch.linalg.inv(_colours(images)))


@takes_arrays
def combine_stains(amounts: Tensor) -> Tensor:
    """The image that amounts of stain make, held to [0, 1]; undoes :func:`separate_stains`.

    Args:
        amounts: Shape ``(B, 3, H, W)``.

    Example:
        >>> x = torch.rand(1, 3, 4, 4)
        >>> torch.allclose(combine_stains(separate_stains(x)), x, atol=1e-5)
        True
    """
    _check("combine_stains", amounts)
    density = torch.einsum("bshw,sc->bchw", amounts, _colours(amounts))
    return ((256 * (-density).exp() - 1) / 255).clamp(0, 1)


@takes_arrays
def stain_jitter(
    images: Tensor, *, strength: float = 0.1, generator: torch.Generator | None = None
) -> Tensor:
    r"""Stain every image a little more or less, each stain by its own random amount.

    .. math:: a_s' = \alpha_s a_s + \beta_s, \qquad \alpha_s - 1,\, \beta_s \sim U(-\sigma, \sigma)

    Args:
        images: Values in [0, 1], shape ``(B, 3, H, W)``.
        strength: :math:`\sigma`; 0 changes nothing.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> x = torch.rand(2, 3, 4, 4)
        >>> torch.equal(stain_jitter(x, strength=0.0), x)
        True

    Reference:
        Tellez et al., Whole-Slide Mitosis Detection in H&E Breast Histology, 2018, section III.C.
    """
    _check("stain_jitter", images)
    require(0 <= strength <= 1, "stain_jitter: strength must be from 0 to 1", strength, "Try 0.1.")
    draws = torch.rand(2, len(images), 3, 1, 1, generator=generator, device=images.device, dtype=images.dtype)  # fmt: skip
    grow, shift = strength * (2 * draws - 1)
    if strength == 0:
        return images.clone()
    amounts = separate_stains(images)
    return combine_stains(amounts + grow * amounts + shift)


def _check(owner: str, images: Tensor) -> None:
    check_images(owner, images)
    if images.shape[1] != 3:
        raise InvalidValue(f"{owner}: images must have three channels, got {images.shape[1]}.")
