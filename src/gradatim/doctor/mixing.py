"""Does the output of a row depend on other rows of its batch? One row is replaced, and the others looked at."""

from typing import Any

import torch
from torch import Tensor, nn

from gradatim.doctor.altering import altered, first_output, is_same
from gradatim.doctor.calls import tensors
from gradatim.doctor.facts import Place
from gradatim.doctor.following import Followed

MOST_ROWS = 64  # of a batch that is probed
VIEWS = {"reshape", "view", "flatten", "transpose", "permute", "swapaxes", "swapdims", "movedim", "unflatten", "t", "squeeze", "unsqueeze", "view_as", "reshape_as"}  # fmt: skip


def row_axis(rows: Tensor, target: Tensor | None, *, rows_first: bool) -> int | None:
    """The axis of the rows, if it can be told: first, unless the target says that it is second."""
    if rows.dim() == 1:
        return None
    if target is None or target.dim() == 0:
        return 0 if rows_first or (rows.dim() == 2 and rows.dtype.is_floating_point) else None
    count = target.shape[0]
    if rows.dim() == 2 and rows.dtype.is_floating_point:
        return 0 if rows.shape[0] == count else None
    first, second = rows.shape[0] == count, rows.shape[1] == count
    if first and (not second or rows_first or rows.dim() == 4):
        return 0
    if second and not first and rows.dim() == 3 and not rows_first:
        return 1
    return 0 if rows_first and (first or count % rows.shape[0] == 0) else None


def is_graph(module: nn.Module, inputs: list[Tensor]) -> bool:
    """Whether rows are nodes that are meant to see each other: edges or an N × N matrix come with them."""
    n = inputs[0].shape[0]
    own = [*module.buffers(), *(v for v in vars(module).values() if isinstance(v, Tensor))]
    for value in [*inputs[1:], *own]:
        if value.layout != torch.strided or (
            tuple(value.shape) == (n, n) and value is not inputs[0]
        ):
            return True
        if value.dim() == 2 and value.shape[0] == 2 and not value.dtype.is_floating_point:
            return True
    return False


def mixes(module: nn.Module, arguments: Any, named: Any, axis: int, count: int) -> bool | None:
    """Replace the last row by another: do outputs of the rows before change?"""
    kept = min(count, MOST_ROWS)

    def fewer(x: Tensor) -> Tensor:
        return x.narrow(axis, 0, kept) if x.dim() > axis and x.shape[axis] == count else x

    def replace(x: Tensor, k: int) -> Tensor:
        if x.dim() <= axis or x.shape[axis] != kept:
            return x
        other = x.clone()
        other.select(axis, k).copy_(other_row(x.select(axis, k), x.select(axis, (k + 1) % kept)))
        return other

    few, words = altered(arguments, fewer), altered(named, fewer)
    before = first_output(module, few, words)
    again = first_output(module, few, words)
    if before is None or again is None or not is_same(before, again):
        return None  # it draws at random even in eval mode
    out_axis = _output_axis(before, kept)
    if out_axis is None:
        return None
    for k in (0, kept - 1):
        change = lambda x, k=k: replace(x, k)  # noqa: E731
        after = first_output(module, altered(few, change), altered(words, change))
        if after is None or after.shape != before.shape:
            return None
        others = [i for i in range(kept) if i != k]
        index = torch.tensor(others, device=before.device)
        if not is_same(
            _by_row(before, out_axis, kept)[index], _by_row(after, out_axis, kept)[index]
        ):
            return True
    return False


def other_row(row: Tensor, neighbour: Tensor) -> Tensor:
    """Another possible row: the neighbour's values, turned round where the two are the same."""
    if row.dtype.is_floating_point:
        return neighbour.flip(-1) * 1.7 + 0.3 if row.dim() else neighbour + 1.0
    return neighbour if not torch.equal(row, neighbour) else row.flip(-1) if row.dim() else row


def _output_axis(output: Tensor, count: int) -> int | None:
    if output.dim() == 0 or tuple(output.shape[:2]) == (count, count):
        return None  # every row against every other, on purpose
    if output.shape[0] == count or output.shape[0] % count == 0:
        return 0
    return 1 if output.dim() >= 2 and output.shape[1] == count else None


def _by_row(output: Tensor, axis: int, count: int) -> Tensor:
    return output.movedim(axis, 0).reshape(count, -1)


def where_mixed(module: nn.Module, arguments: Any, named: Any) -> tuple[nn.Module | None, Place]:
    """The first layer that mixes rows itself; else the line that reshaped them before a layer.

    Args:
        module: The model, in eval mode.
        arguments: What it is called with.
        named: The same by name.
    """
    count = next(tensors([arguments, named])).shape[0]

    def change(x: Tensor) -> Tensor:
        return torch.cat([other_row(x[0], x[1])[None], x[1:]]) if x.shape[:1] == (count,) else x

    changed, words = altered(arguments, change), altered(named, change)
    before, after = Followed(), Followed()
    with before:
        module(*arguments, **named)
    with after:
        module(*changed, **words)
    view = Place()
    for one, other in zip(before.results, after.results, strict=False):
        if one.value.shape != other.value.shape:
            break
        if one.name in VIEWS:
            view = one.place if _is_spread(one.value, other.value) else view
        elif _share(one.value, other.value) > 1.5 / count:
            break
    found: list[nn.Module] = []
    kept: dict[nn.Module, tuple[Tensor, Tensor]] = {}

    def keep(part: nn.Module, given: Any, output: Any) -> None:
        x, y = next(tensors(given), None), next(tensors(output), None)
        if x is None or y is None or not x.dim() or not y.dim():
            return
        if part not in kept:
            kept[part] = x, y
        elif not found and kept[part][1].shape == y.shape:
            whole = not _is_spread(kept[part][0], x)
            if whole and _share(kept[part][1], y) > 1.5 / count:
                found.append(part)

    leaves = [part for part in module.modules() if not any(True for _ in part.children())]
    handles = [part.register_forward_hook(keep) for part in leaves]
    try:
        module(*arguments, **named)
        module(*changed, **words)
    finally:
        for handle in handles:
            handle.remove()
    return (None, view) if view.line is not None else (found[0] if found else None, Place())


def _share(one: Tensor, other: Tensor) -> float:
    """Share of the numbers that changed."""
    return float((one != other).float().mean()) if one.numel() else 0.0


def _is_spread(one: Tensor, other: Tensor) -> bool:
    """Whether what changed lies in several rows."""
    if one.shape != other.shape or one.dim() < 2:
        return False
    changed = (one != other).reshape(len(one), -1).any(1)
    return int(changed.sum()) > 1
