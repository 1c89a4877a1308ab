"""Figures of data that several processes measured, each a part of it: every row counts once."""

from collections.abc import Iterator, Mapping
from typing import Any

from gradatim.training.batches import Batch, Batches
from gradatim.training.distributed.group import Group
from gradatim.training.metrics import Metric
from gradatim.training.totals import Totals

_SETTINGS = ("name", "function")  # of a metric; all else is what it has seen


def dealt(batches: Batches, group: Group) -> Iterator[tuple[Batch, bool]]:
    """The pieces of data that this process measures, every so manieth, and whether they count.

    Where the model is in shards, all processes get equally many: who has none left gets one that does not count.

    Args:
        batches: All of it.
        group: The processes.

    Example:
        >>> import torch
        >>> from gradatim.training.batches import Stream
        >>> list(dealt(Stream([1, 2, 3], lambda batch: batch), Group(1, 2)))
        [(2, True)]
    """
    own, turn = None, 0
    for piece in batches.whole():
        own = (piece, True) if turn == group.rank else own or (piece, False)
        turn = (turn + 1) % group.world_size
        if turn == 0:
            yield own
            own = None
    if own is not None and (group.is_sharded or own[1]):
        yield own


def merge_metrics(metrics: list[Metric], group: Group) -> None:
    """Let every process know what all have measured.

    Args:
        metrics: Of this process; those of others are taken in.
        group: The processes.
    """
    if group.is_alone or not metrics:
        return
    seen = group.gather_trees([seen_by(metric) for metric in metrics])
    for place, metric in enumerate(metrics):
        take(metric, seen[0][place])
        for others in seen[1:]:
            merge(metric, others[place])


def seen_by(metric: Metric) -> dict[str, Any]:
    """What a metric has seen: sums, counts and lists."""
    return {name: value for name, value in vars(metric).items() if name not in _SETTINGS}


def take(metric: Metric, seen: Mapping[str, Any]) -> None:
    """Let a metric have seen this and nothing else."""
    for name, value in seen.items():
        setattr(metric, name, value)


def merge(metric: Metric, seen: Mapping[str, Any]) -> None:
    """Let a metric have seen this too.

    Args:
        metric: One with a ``merge`` of its own, or whose sums and lists add up.
        seen: Of another of its kind.

    Example:
        >>> import torch
        >>> from gradatim.training.metrics import build_metric
        >>> here, there = build_metric("accuracy"), build_metric("accuracy")
        >>> here.update(torch.tensor([[0.0, 1.0]]), torch.tensor([1]))
        >>> there.update(torch.tensor([[0.0, 1.0]]), torch.tensor([0]))
        >>> merge(here, seen_by(there))
        >>> here.compute()
        0.5
    """
    own = getattr(metric, "merge", None)
    if own is not None:
        own(seen)
        return
    for name, value in seen.items():
        mine = getattr(metric, name)
        if mine is None or value is None:
            setattr(metric, name, value if mine is None else mine)
        else:
            setattr(metric, name, mine + value)


def merge_totals(totals: Totals, group: Group) -> None:
    """Let the sums of this process be those of all."""
    if group.is_alone:
        return
    states = group.gather({**totals.state_dict(), "is_without_loss": totals.is_without_loss})
    names = dict.fromkeys(name for state in states for name in state["figures"])
    totals.rows = sum(state["rows"] for state in states)
    totals.loss = sum(state["loss"] for state in states)
    totals.is_without_loss = any(state["is_without_loss"] for state in states)
    totals.figures = {n: sum(state["figures"].get(n, 0.0) for state in states) for n in names}
