"""A schedule as numbers and as a line of text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gradatim.errors import InvalidValue
from gradatim.optim.schedules import Schedule, build_schedule

_BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class ScheduleCurve:
    """Learning rates over a run; ``print`` shows them as a line.

    Attributes:
        epochs: Times, from 0 to the length of the run.
        lrs: Rates at these times.
    """

    epochs: list[float]
    lrs: list[float]

    def __str__(self) -> str:
        line = sparkline(self.lrs, width=min(60, len(self.lrs)))
        low, high = min(self.lrs), max(self.lrs)
        return f"{line}  {self.lrs[0]:.3g} → {self.lrs[-1]:.3g}, between {low:.3g} and {high:.3g}"


def schedule_curve(
    schedule: str | Schedule | None, *, epochs: float, lr: float = 1.0, points: int = 201
) -> ScheduleCurve:
    """Sample a schedule at equally spaced times of a run.

    Args:
        schedule: As in :class:`~gradatim.training.Trainer`: a name or a function ``(t, T) -> factor``.
        epochs: Length of the run.
        lr: Initial rate.
        points: Number of samples, both ends included.

    Example:
        >>> print(schedule_curve("cosine", epochs=20, lr=0.1, points=20))
        ████▇▇▆▆▅▅▄▄▃▃▂▂▁▁▁▁  0.1 → 0, between 0 and 0.1
    """
    if not epochs > 0:
        raise InvalidValue(f"schedule_curve: epochs must be more than 0, got {epochs}.")
    if points < 2:
        raise InvalidValue(f"schedule_curve: points must be at least 2, got {points}. Try 201.")
    factor = build_schedule(schedule)
    times = [epochs * k / (points - 1) for k in range(points)]
    return ScheduleCurve(times, [lr * factor(t, epochs) for t in times])


def sparkline(values: Sequence[float], *, width: int = 60) -> str:
    """Draw values as one line of blocks from zero (or the lowest, if below) to the highest.

    Args:
        values: What to draw; samples are taken where there are more than ``width``.
        width: Most characters.

    Example:
        >>> sparkline([0, 1, 2, 3, 4, 5, 6, 7])
        '▁▂▃▄▅▆▇█'
    """
    if width < 1 or not values:
        raise InvalidValue(
            f"sparkline: values and width must be at least one, got {len(values)} and {width}."
        )
    if not all(math.isfinite(value) for value in values):
        raise InvalidValue("sparkline: values must be finite, got one that is not.")
    last = len(values) - 1
    width = min(width, len(values))
    picked = [values[round(k * last / max(width - 1, 1))] for k in range(width)]
    low, high = min(0.0, *picked), max(picked)
    # the span may be so small that its reciprocal overflows
    heights = [(value - low) / (high - low) if high > low else 0.0 for value in picked]
    return "".join(_BLOCKS[round(height * (len(_BLOCKS) - 1))] for height in heights)
