"""Whether a generator gives back the rows it was trained on."""

from collections import Counter
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.generative.nearest import BLOCK, row_distances
from gradatim.generative.resampling import Estimate, interval_around, random_weights


@takes_arrays
@torch.no_grad()
def copying_share(
    samples: Tensor,
    train: Tensor,
    held_out: Tensor,
    *,
    num_draws: int = 20,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    r"""Share of samples whose nearest row is a training row, among as many training rows as there are held-out ones.

    .. math:: \frac1{DN}\sum_{d=1}^D\sum_{i=1}^N\bigl[\min_{t\in T_d}\lVert g_i-t\rVert < \min_{h\in H}\lVert g_i-h\rVert\bigr],
        \qquad |T_d| = |H|

    A generator that has learned the distribution, and not the rows, knows no difference between the two sets: it has 50 %.
    The interval resamples *real* rows, each with all the samples it is nearest to: many samples next to one row say little
    more than one. A tie counts as half.

    Args:
        samples: :math:`g`, shape ``(N, ...)``.
        train: Rows the generator learned from, ``(M, ...)``.
        held_out: Rows of the same source that it has not seen, ``(H, ...)``.
        num_draws: :math:`D`, draws of :math:`T_d`; where there are fewer training rows, of held-out ones too.
        level: Probability that the interval is right.
        seed: Fixes draws and resamples.

    Example:
        >>> train, held_out = torch.randn(50, 3), torch.randn(50, 3)
        >>> copying_share(train, train, held_out).value, copying_share(held_out, train, held_out).value
        (1.0, 0.0)
    """
    rule = "copying_share: samples, train and held_out must be rows of the same numbers"
    shapes = [tuple(rows.shape) for rows in (samples, train, held_out)]
    fit = all(len(s) > 1 and s[0] and s[1:] == shapes[0][1:] for s in shapes)
    require(fit, rule, ", ".join(map(str, shapes)))
    require(num_draws >= 1, "copying_share: num_draws must be at least 1", num_draws)
    generator = torch.Generator().manual_seed(seed)
    near, own, other = (rows.double().flatten(1) for rows in (samples, train, held_out))
    wins, losses = _count(near, own, other, num_draws, generator)
    value = float(wins.sum() / (wins.sum() + losses.sum()))
    counts = torch.stack([torch.cat([wins, torch.zeros_like(losses)]), torch.cat([wins, losses])])
    counts = counts[:, counts[1] > 0]  # (2, rows that are nearest to any sample)
    hits, total = counts @ random_weights(counts.shape[1], 1000, generator=generator).T
    found = interval_around(value, hits / total, level)
    return Estimate(value, max(found.low, 0.0), min(found.high, 1.0))


def _count(
    samples: Tensor, train: Tensor, held_out: Tensor, num_draws: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """How often each training row, and each held-out row, was the nearest of a sample, over all draws."""
    size = min(len(train), len(held_out))
    wins, losses = train.new_zeros(len(train)), train.new_zeros(len(held_out))
    draws = [
        [torch.randperm(len(rows), generator=generator)[:size] for rows in (train, held_out)]
        for _ in range(num_draws)
    ]
    for block in samples.split(max(1, BLOCK // (len(train) + len(held_out)))):
        to_train, to_held_out = row_distances(block, train), row_distances(block, held_out)
        for own, other in draws:
            near, place = to_train[:, own].min(1)
            far, elsewhere = to_held_out[:, other].min(1)
            half = (near == far).double() / 2
            wins.index_add_(0, own[place], (near < far).double() + half)
            losses.index_add_(0, other[elsewhere], (far < near).double() + half)
    return wins, losses


class Repeats(NamedTuple):
    """Samples that equal a training row, and those of them whose row stands in all of the data only once."""

    total: int
    unique: int


@takes_arrays
def exact_repeats(samples: Tensor, train: Tensor, held_out: Tensor | None = None) -> Repeats:
    """Count samples that are training rows to the last digit.

    A row that is common in the data may well be said again. One that is there once, and not among the held-out rows, is
    a copy.

    Args:
        samples: Shape ``(N, ...)``; of images give the whole numbers of their pixels.
        train: Shape ``(M, ...)``.
        held_out: Shape ``(H, ...)``, if there are any.

    Example:
        >>> train = torch.tensor([[1.0, 2.0], [3.0, 4.0], [3.0, 4.0]])
        >>> exact_repeats(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), train)
        Repeats(total=2, unique=1)
    """
    sets = [samples, train] if held_out is None else [samples, train, held_out]
    shapes = [tuple(rows.shape) for rows in sets]
    rule = "exact_repeats: samples, train and held_out must be rows of the same numbers"
    require(all(len(s) > 1 and s[1:] == shapes[0][1:] for s in shapes), rule, ", ".join(map(str, shapes)))  # fmt: skip
    dtype = torch.promote_types(samples.dtype, train.dtype)
    known, *others = (Counter(_bytes(rows.to(dtype))) for rows in sets[1:])
    again = known + others[0] if others else known
    copies = [row for row in _bytes(samples.to(dtype)) if row in known]
    return Repeats(len(copies), sum(again[row] == 1 for row in copies))


def _bytes(rows: Tensor) -> list[bytes]:
    """Each row as bytes; -0 is 0."""
    return [row.tobytes() for row in (rows.detach().flatten(1) + 0).cpu().numpy()]
