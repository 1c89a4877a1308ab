"""The overlap of masks as a loss: what counts where one class covers most of the pixels."""

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require
from gradatim.losses.class_rows import check_classes

if TYPE_CHECKING:
    from gradatim.losses.named import Loss


@takes_arrays
def dice_loss(output: Tensor, target: Tensor, *, smooth: float = 1.0) -> Tensor:
    r"""Compare soft masks with true ones by their overlap, class by class, all pixels of the batch together.

    .. math:: E = 1 - \frac1K\sum_k \frac{2\sum_i p_{ik}t_{ik} + s}{\sum_i p_{ik} + \sum_i t_{ik} + s},
        \qquad p_i = \operatorname{softmax}(z_i)

    Every class counts alike, however few its pixels are. A class that neither shows nor is said costs nothing.

    Args:
        output: Logits :math:`z`, shape ``(B, K, ...)``.
        target: Class numbers, shape ``(B, ...)``; :math:`t_{ik}` is 1 where pixel :math:`i` is of class :math:`k`.
        smooth: :math:`s`, pixels that every class is given on both sides, more than 0.

    Example:
        >>> dice_loss(torch.tensor([[9.0, -9.0], [-9.0, 9.0]]), torch.tensor([0, 1])).item() < 1e-6
        True
        >>> dice_loss(torch.zeros(1, 2, 4), torch.tensor([[0, 0, 1, 1]]))  # 1 - (2 + 1) / (4 + 1)
        tensor(0.4000)

    Reference:
        Milletari et al., V-Net, 2016, with squares there in the denominator; Drozdzal et al., The Importance of Skip
        Connections in Biomedical Image Segmentation, 2016, as here.
    """
    require(smooth > 0, "dice_loss: smooth must be more than 0", smooth, "Try 1.0.")
    _check("dice_loss", output, target)
    classes = output.shape[1]
    wide = torch.promote_types(
        output.dtype, torch.float32
    )  # sums over pixels overflow half precision
    p = output.softmax(1, dtype=wide).transpose(0, 1).flatten(1)  # (K, pixels)
    t = target.flatten() == torch.arange(classes, device=target.device)[:, None]  # (K, pixels)
    both = (p * t).sum(1)
    overlap = (2.0 * both + smooth) / (p.sum(1) + t.sum(1) + smooth)  # (K,)
    return 1.0 - overlap.mean()


def dice_cross_entropy(share: float = 0.5, *, smooth: float = 1.0) -> "Loss":
    r"""Make the loss of overlap and of single pixels together.

    .. math:: E = \alpha\,E_{\text{Dice}} + (1-\alpha)\,E_{\text{cross-entropy}}

    Cross-entropy has good gradients everywhere, Dice weighs classes alike.

    Args:
        share: :math:`\alpha`, from 0 to 1.
        smooth: As in :func:`dice_loss`.

    Returns:
        A loss of logits ``(B, K, ...)`` and class numbers ``(B, ...)``.

    Example:
        >>> loss = dice_cross_entropy(0.5)
        >>> loss(torch.zeros(1, 2, 4), torch.tensor([[0, 0, 1, 1]]))  # (0.4 + log 2) / 2
        tensor(0.5466)

    Reference:
        Isensee et al., nnU-Net, 2021.
    """
    require(0.0 <= share <= 1.0, "dice_cross_entropy: share must be from 0 to 1", share, "Try 0.5.")

    def loss(output: Tensor, target: Tensor) -> Tensor:
        _check("dice_cross_entropy", output, target)
        pixels = F.cross_entropy(output, target)
        return share * dice_loss(output, target, smooth=smooth) + (1.0 - share) * pixels

    return loss


def _check(owner: str, output: Tensor, target: Tensor) -> None:
    if output.ndim < 2 or output.shape[:1] + output.shape[2:] != target.shape:
        raise InvalidValue(
            f"{owner}: target must have a class number for every pixel of the output (B, K, ...), got "
            f"{tuple(target.shape)} for {tuple(output.shape)}."
        )
    check_classes(owner, output.shape[1])
