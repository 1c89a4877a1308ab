"""Matrices that are learned: those of PyTorch's layers, of modules somebody wrote, and of no module at all."""

from collections.abc import Iterator

from torch import Tensor, nn

from gradatim.doctor.calls import Calls
from gradatim.doctor.facts import LayerStats, Place
from gradatim.doctor.origins import bound_line
from gradatim.doctor.places import user_frame

LOOSE = "tensor"
ROUNDING = 1e-4  # of the largest weight: by so much equal units come apart in some steps
UNLIKE = (nn.Embedding, nn.EmbeddingBag, nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm)


def layer_weights(calls: Calls) -> list[tuple[str, Tensor, str]]:
    """Layer, matrix and kind of layer of every matrix in the models that were called.

    Args:
        calls: Who knows the models.
    """
    found: list[tuple[str, Tensor, str]] = []
    seen: set[int] = set()
    for module in (part for top in calls.models() for part in top.modules()):
        if isinstance(module, UNLIKE):
            continue
        kind = type(module).__name__ if type(module).__module__.startswith("torch.") else LOOSE
        for name, weight in module.named_parameters(recurse=False):
            is_own = kind == LOOSE and not any(True for _ in module.children())
            if weight.dim() < 2 or id(weight) in seen or not (is_own or "weight" in name):
                continue
            seen.add(id(weight))
            found.append((calls.name(module), weight, kind))
    return found


def loose_weights(leaves: list[Tensor], backward: Place) -> Iterator[tuple[str, Place, Tensor]]:
    """Names of tensors that belong to no module, by the variables that hold them, and the lines that made them.

    Args:
        leaves: The tensors.
        backward: The line of the backward pass.
    """
    frame = user_frame() if leaves else None
    held = {} if frame is None else {id(v): k for k, v in [*frame.f_globals.items(), *frame.f_locals.items()]}  # fmt: skip
    for leaf in leaves:
        name = held.get(id(leaf))
        if name is not None:
            yield name, bound_line(backward, name), leaf


def is_torch(kind: str) -> bool:
    """Whether a layer is one of PyTorch's: its rows are its units."""
    return kind != LOOSE


def start_of(stats: LayerStats, weight: Tensor, *, is_torch: bool) -> None:
    """Note how large the weights of a layer are before it learns, against 1/√(inputs).

    Args:
        stats: Of the layer.
        weight: Its matrix.
        is_torch: Else nobody knows which axis is that of the inputs: the one that makes it less strange is taken.
    """
    values = weight.detach()
    spread = float(values.std()) if values.numel() > 1 else 0.0
    if spread <= 0:
        return
    inputs = [values[0].numel()] if is_torch else [values[0].numel(), values.numel() // values.shape[1]]  # fmt: skip
    gains = [spread * n**0.5 for n in inputs]
    stats.first["gain"] = min(gains) if min(gains) > 1 else max(gains) if max(gains) < 1 else 1.0


def are_equal(weight: Tensor, *, is_torch: bool) -> bool:
    """Whether all units have the same weights.

    >>> import torch
    >>> are_equal(torch.ones(2, 3), is_torch=True), are_equal(torch.eye(2), is_torch=False)
    (True, False)
    """
    values = weight.detach()
    slack = ROUNDING * values.abs().max()
    rows = len(values) > 1 and bool(((values - values[:1]).abs() <= slack).all())
    if is_torch or rows or values.dim() != 2:
        return rows
    return values.shape[1] > 1 and bool(((values - values[:, :1]).abs() <= slack).all())
