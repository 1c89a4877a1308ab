"""A classifier as an attack sees it: in evaluation mode, one score per class, gradients of inputs only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidType, InvalidValue, require

Bounds = tuple[float, float]
PIECE_BYTES = 1 << 19  # of input at once; what layers make of it then stays in the cache
MIN_ROWS = 16


@contextmanager
def under_attack(model: nn.Module) -> Iterator[None]:
    """Evaluation mode, and gradients even if the caller has switched them off; then as before.

    In evaluation mode the answer to a sample does not depend on the rest of its batch, nor on chance, and
    running statistics stay as they are. Parameters take no part: their gradients are never asked for.
    """
    modes = [(module, module.training) for module in model.modules()]
    try:
        model.eval()
        with torch.inference_mode(False), torch.enable_grad():
            yield
    finally:
        for module, mode in modes:
            module.training = mode


def check_inputs(owner: str, model: nn.Module, x: Tensor, bounds: Bounds | None) -> None:
    """Refuse what no attack can start from."""
    if not isinstance(x, Tensor) or not x.is_floating_point():
        got = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise InvalidType(f"{owner}: x must be a tensor of floats, got {got}. Try x.float() / 255.")
    fits = not (x.is_meta or any(p.is_meta for p in model.parameters()))
    rule = f"{owner}: model and x must hold numbers"
    require(fits, rule, "tensors on the meta device", "Load the weights first.")
    bad = ~torch.isfinite(x)
    if bad.any():
        rows = int(bad.reshape(len(x), -1).any(1).sum())
        raise InvalidValue(
            f"{owner}: x must be finite, got NaN or infinity in {rows} of {len(x)} samples. Clean the data."
        )
    if bounds is not None:
        check_bounds(owner, x, bounds)


def check_bounds(owner: str, x: Tensor, bounds: Bounds) -> Bounds:
    """Return the bounds if they are finite, ordered, and hold ``x``."""
    low, high = bounds
    rule = f"{owner}: bounds must be two finite numbers, low < high"
    require(-torch.inf < low < high < torch.inf, rule, bounds, "Try (0.0, 1.0).")
    if x.numel() and not ((x >= low) & (x <= high)).all():
        raise InvalidValue(
            f"{owner}: bounds must hold all of x, got {tuple(bounds)} for values from {x.min():g} to {x.max():g}."
        )
    return low, high


def check_eps(owner: str, eps: float) -> float:
    """Return the budget if it is finite and not negative."""
    rule = f"{owner}: eps must be finite and at least 0"
    require(0 <= eps < torch.inf, rule, eps, "Try eps=0.1.")
    return float(eps)


def read_labels(owner: str, x: Tensor, y: Tensor, name: str = "y") -> Tensor:
    """Return ``y``, an argument called ``name``, as class indices of shape ``(B,)`` on the device of ``x``."""
    labels = torch.as_tensor(y, device=x.device)
    rule = f"{owner}: {name} must have one class per sample of x"
    require(labels.numel() == len(x), rule, f"shape {tuple(labels.shape)} for {len(x)} samples")
    classes = labels.reshape(-1).long()
    if not torch.equal(classes.to(labels.dtype), labels.reshape(-1)) or (classes < 0).any():
        raise InvalidValue(f"{owner}: {name} must hold class indices 0, 1, …, got other numbers.")
    return classes


def class_scores(owner: str, model: nn.Module, x: Tensor) -> Tensor:
    """One score per class, shape ``(B, K)``; a single logit ``z`` becomes the two scores ``0`` and ``z``."""
    scores = model(x)
    is_tensor = isinstance(scores, Tensor)
    if not is_tensor or scores.ndim not in (1, 2) or len(scores) != len(x):
        got = tuple(scores.shape) if is_tensor else type(scores).__name__
        raise InvalidValue(
            f"{owner}: model must return scores of shape ({len(x)}, K) or ({len(x)},), got {got}."
        )
    if scores.ndim == 1:
        scores = scores.unsqueeze(1)
    return torch.cat([torch.zeros_like(scores), scores], 1) if scores.shape[1] == 1 else scores


def check_target(owner: str, target: Tensor, num_classes: int) -> None:
    """Refuse a wanted class that the classifier does not know."""
    rule = f"{owner}: target must be below the number of classes, {num_classes}"
    most = int(target.max()) if len(target) else 0
    require(most < num_classes, rule, most)


def input_gradient(
    owner: str, scores: Tensor, x: Tensor, slope: Tensor, keep: bool = False
) -> Tensor:
    """Gradient of the sum of ``slope * scores`` with respect to ``x``; ``keep`` allows another."""
    if not scores.requires_grad:
        raise InvalidValue(
            f"{owner}: model must be differentiable, got scores that do not depend on x by gradients. "
            "Remove .detach(), argmax or rounding from its forward pass."
        )
    (gradient,) = torch.autograd.grad(scores, x, slope, retain_graph=keep)
    return gradient


def run_attack(
    owner: str,
    model: nn.Module,
    attack: Callable[..., Tensor],
    x: Tensor,
    y: Tensor | None,
    bounds: Bounds | None,
    name: str = "y",
) -> Tensor:
    """Check what is attacked, then call ``attack`` on pieces of it; ``y`` is called ``name``; the model is left as it was."""
    check_inputs(owner, model, x, bounds)
    with under_attack(model):
        labels = () if y is None else (read_labels(owner, x, y, name),)
        return in_pieces(attack, x.detach().clone(), *labels)


def in_pieces(function: Callable[..., Tensor], *tensors: Tensor) -> Tensor:
    """Call ``function`` on pieces of the rows of ``tensors`` and join what it returns."""
    rows, first = len(tensors[0]), tensors[0]
    if rows == 0:
        return first.detach().clone()
    row_bytes = max(first[0].numel() * first.element_size(), 1)
    most = max(PIECE_BYTES // row_bytes, MIN_ROWS)
    count = -(-rows // most)
    size = -(-rows // count)
    pieces = zip(*(tensor.split(size) for tensor in tensors), strict=True)
    return torch.cat([function(*piece) for piece in pieces])
