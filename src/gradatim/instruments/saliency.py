"""Which pixels of an image a classifier looks at."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn.training_modes import evaluation_mode


@takes_arrays
def gradient_saliency(model: nn.Module, x: Tensor, labels: Tensor) -> Tensor:
    r"""How much the score of a class changes with each pixel.

    .. math:: S_{ij} = \max_c \left|\frac{\partial f_y(x)}{\partial x_{cij}}\right|

    Args:
        model: A classifier :math:`f`, used in evaluation mode; it is left as it was.
        x: Images, shape ``(B, C, H, W)``.
        labels: Class :math:`y` of each, shape ``(B,)``.

    Returns:
        Shape ``(B, H, W)``.

    Example:
        >>> model = nn.Sequential(nn.Flatten(), nn.Linear(4, 2, bias=False))
        >>> _ = nn.init.constant_(model[1].weight, -3.0)
        >>> gradient_saliency(model, torch.zeros(1, 1, 2, 2), torch.tensor([1]))
        tensor([[[3., 3.],
                 [3., 3.]]])

    Reference:
        Simonyan, Vedaldi and Zisserman, Deep Inside Convolutional Networks, 2014.
    """
    with evaluation_mode(model), torch.enable_grad():
        inputs = x.detach().clone().requires_grad_()
        scores = model(inputs).gather(1, labels[:, None]).sum()
        (gradient,) = torch.autograd.grad(scores, inputs)
    return gradient.abs().amax(1)


@takes_arrays
@torch.no_grad()
def occlusion_map(
    model: nn.Module, x: Tensor, labels: Tensor, *, size: int = 4, stride: int = 2
) -> Tensor:
    r"""How much the probability of a class falls when a patch is hidden behind the image's mean.

    .. math:: O_{ij} = p_y(x) - p_y(x \text{ with the patch at } (i, j) \text{ hidden})

    Args:
        model: A classifier of logits, used in evaluation mode; it is left as it was.
        x: Images, shape ``(B, C, H, W)``.
        labels: Class :math:`y` of each, shape ``(B,)``.
        size: Side of the patch.
        stride: Pixels from one patch to the next.

    Returns:
        The mean over the patches that hide a pixel, shape ``(B, H, W)``.
    """
    B, _, H, W = x.shape
    if not 1 <= size <= min(H, W) or stride < 1:
        raise InvalidValue(
            f"occlusion_map: size must be from 1 to {min(H, W)} and stride at least 1, got {size} and {stride}."
        )
    tops = sorted({*range(0, H - size + 1, stride), H - size})
    lefts = sorted({*range(0, W - size + 1, stride), W - size})
    covers = torch.zeros(len(tops) * len(lefts), H, W, dtype=x.dtype, device=x.device)
    for k, (i, j) in enumerate((i, j) for i in tops for j in lefts):
        covers[k, i : i + size, j : j + size] = 1.0
    fallen = torch.zeros(B, H, W, dtype=x.dtype, device=x.device)
    with evaluation_mode(model):
        whole = F.softmax(model(x), 1).gather(1, labels[:, None])  # (B, 1)
        for b in range(B):
            hidden = torch.lerp(x[b], x[b].mean(dim=(1, 2), keepdim=True), covers[:, None])
            p = F.softmax(model(hidden), 1)[:, labels[b]]
            fallen[b] = torch.einsum("k,khw->hw", whole[b] - p, covers)
    return fallen / covers.sum(0)
