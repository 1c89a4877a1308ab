r"""Permutation importance of channels and of parts of time: how much worse predictions get when they come from another series.

.. math:: I_P = s\bigl(y, f(x^{P})\bigr) - s(y, f(x))

:math:`x^P` has, in the part :math:`P` of its steps and channels, what another series has at the same share of its own length.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from gradatim.evaluation.metrics import score
from gradatim.fitting.clock import never
from gradatim.fitting.sequences.steps import Sequences

MOST_SERIES = 150  # on which it is measured
WINDOWS = 10

Say = Callable[[Sequences], np.ndarray]


def exchange(
    series: Sequences,
    donors: np.ndarray,
    columns: np.ndarray,
    window: tuple[float, float] = (0.0, 1.0),
) -> Sequences:
    """Give every series a part of another one.

    Args:
        series: The series.
        donors: Whose steps each gets.
        columns: Features that are exchanged.
        window: Share of the steps that are, from and to.

    Example:
        >>> pair = Sequences(np.array([[1.0], [2.0], [5.0], [6.0], [7.0], [8.0]]), np.array([2, 4]))
        >>> exchange(pair, np.array([1, 0]), np.array([0]), (0.5, 1.0)).values.ravel().tolist()
        [1.0, 8.0, 5.0, 6.0, 2.0, 2.0]
    """
    owner = np.repeat(np.arange(len(series)), series.lengths)
    share = (np.arange(len(owner)) - series.starts[owner] + 0.5) / series.lengths[owner]
    given = donors[owner]
    source = series.starts[given] + np.floor(share * series.lengths[given]).astype(np.int64)
    rows = np.flatnonzero((share >= window[0]) & (share < window[1]))
    values = series.values.copy()
    values[np.ix_(rows, columns)] = series.values[np.ix_(source[rows], columns)]
    return Sequences(values, series.lengths, series.num_static)


def permutation_importance(
    say: Say,
    series: Sequences,
    y: np.ndarray,
    classes: int,
    channels: Mapping[str, np.ndarray],
    *,
    seed: int = 0,
    is_over: Callable[[], bool] = never,
) -> tuple[dict[str, float], list[float]]:
    """Importance of channels, the largest first, and of equal parts of time, in their order.

    Args:
        say: What a model says of series.
        series: Series to measure on.
        y: Their targets.
        classes: Number of classes; 0 for regression.
        channels: Features of every channel, by its name.
        seed: Fixes the exchange.
        is_over: Whether time is up.

    Returns:
        Importance by channel, of those for which there was time; importance of the parts, none where there was none.
    """
    rng = np.random.default_rng([seed, 6])
    rows = np.sort(rng.permutation(len(y))[:MOST_SERIES])
    series, y = series.take(rows), y[rows]
    donors = np.roll(np.arange(len(y)), 1)[np.argsort(rng.permutation(len(y)))]
    base = score(y, say(series), classes)

    def worse(columns: np.ndarray, window: tuple[float, float]) -> float:
        return score(y, say(exchange(series, donors, columns, window)), classes) - base

    parts: list[float] = []
    moving, edges = np.arange(series.num_moving), np.linspace(0.0, 1.0, WINDOWS + 1)
    for low, high in pairwise(edges.tolist()):
        if series.longest < WINDOWS or is_over():
            parts.clear()
            break
        parts.append(worse(moving, (low, high)))
    found: dict[str, float] = {}
    for name, columns in channels.items():
        if is_over():
            break
        found[name] = worse(columns, (0.0, 1.0))
    return dict(sorted(found.items(), key=lambda item: -item[1])), parts
