"""Where a classifier sees a class: its last maps, weighted by what they do for the class."""

from contextlib import ExitStack
from math import isqrt

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose
from gradatim.nn.training_modes import evaluation_mode


@takes_arrays
def grad_cam(model: nn.Module, x: Tensor, labels: Tensor, *, layer: str | None = None) -> Tensor:
    r"""How strongly each place of an image speaks for a class, by the gradient of its score.

    .. math:: \alpha_k = \frac{1}{HW}\sum_{ij} \frac{\partial f_y(x)}{\partial A_{kij}}, \qquad
        G_{ij} = \max\Bigl(\sum_k \alpha_k A_{kij},\; 0\Bigr)

    :math:`A` are the maps of a layer. Tokens of a Transformer are laid out as the grid of their patches; a class token, which
    belongs to no place, is left out.

    Args:
        model: A classifier :math:`f`, used in evaluation mode; it is left as it was.
        x: Images, shape ``(B, C, H, W)``.
        labels: Class :math:`y` of each, shape ``(B,)``.
        layer: Name of the module whose output is :math:`A`; by default the last one with places on which the score
            depends.

    Returns:
        :math:`G` at the size of the images, bilinearly, shape ``(B, H, W)``.

    Example:
        >>> model = nn.Sequential(nn.Conv2d(1, 2, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2, 3))
        >>> grad_cam(model, torch.rand(4, 1, 6, 6), torch.tensor([0, 1, 2, 0])).shape
        torch.Size([4, 6, 6])

    Reference:
        Selvaraju et al., Grad-CAM: Visual Explanations from Deep Networks via Gradient-based Localization, 2017, eqs. 1, 2.
    """
    modules = {name: module for name, module in model.named_modules() if name}
    if layer is not None:
        choose("grad_cam", "layer", layer, modules)
    found: dict[str, Tensor] = {}

    def keep(name: str, output: object) -> None:
        if isinstance(output, Tensor) and output.requires_grad and _grid(output) is not None:
            found.pop(name, None)  # of a module that is called again, the last place counts
            found[name] = output

    with ExitStack() as stack:
        stack.enter_context(evaluation_mode(model))
        stack.enter_context(torch.enable_grad())
        for name, module in modules.items():
            if layer in (None, name):
                handle = module.register_forward_hook(lambda _, __, out, name=name: keep(name, out))
                stack.callback(handle.remove)
        scores = model(x.detach().clone().requires_grad_()).gather(1, labels[:, None]).sum()
        if not found:
            place = "model" if layer is None else "layer"
            raise InvalidValue(f"grad_cam: {place} must have an output with places, maps or tokens of a square grid, and has none.")  # fmt: skip
        gradients = torch.autograd.grad(scores, list(found.values()), allow_unused=True)
    maps, gradient = _choose_maps(list(found.values()), list(gradients))
    weights = gradient.mean((2, 3), keepdim=True)  # (B, K, 1, 1)
    seen = F.relu((weights * maps).sum(1, keepdim=True))  # (B, 1, h, w)
    return F.interpolate(seen, size=x.shape[2:], mode="bilinear", align_corners=False)[:, 0]


def _grid(output: Tensor) -> tuple[int, int] | None:
    """Rows and columns of the places of an output; ``None`` where it has none, or one only."""
    if output.ndim == 4:
        return tuple(output.shape[2:]) if output.shape[2] * output.shape[3] > 1 else None  # type: ignore[return-value]
    if output.ndim != 3:
        return None
    side = isqrt(output.shape[1])
    return (side, side) if side > 1 and output.shape[1] - side * side in (0, 1) else None


def _laid_out(output: Tensor) -> Tensor:
    """Maps as they are; tokens, without one more than the grid has, as maps of their patches."""
    if output.ndim == 4:
        return output
    grid = _grid(output)
    assert grid is not None
    tokens = output[:, output.shape[1] - grid[0] * grid[1] :]
    return tokens.transpose(1, 2).unflatten(2, grid)  # (B, dim, side, side)


def _choose_maps(outputs: list[Tensor], gradients: list[Tensor | None]) -> tuple[Tensor, Tensor]:
    """The last output whose places matter to the score, and its gradient.

    The tokens of a Transformer's last block matter only through the class token: those that it looks at stand before. They
    have the width of the last ones, which what attention makes of them in between has not.
    """
    last = _laid_out(outputs[-1])
    for output, gradient in reversed(list(zip(outputs, gradients, strict=True))):
        maps = _laid_out(output)
        if gradient is None or (output.ndim == 3 and maps.shape[1] != last.shape[1]):
            continue
        pull = _laid_out(gradient)
        if bool((pull != 0).any()):
            return maps.detach(), pull
    return last.detach(), torch.zeros_like(last)
