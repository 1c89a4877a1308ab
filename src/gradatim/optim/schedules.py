r"""Learning-rate schedules: the factor on the initial rate at time ``t`` of a run of length ``T``, both in epochs.

A schedule is a plain function ``(t, T) -> factor``; ``t`` grows continuously with every batch.
"""

import math
from collections.abc import Callable

from gradatim.errors import InvalidType, InvalidValue, choose

Schedule = Callable[[float, float], float]


def constant() -> Schedule:
    """:math:`\\eta_t = \\eta_0`."""
    return lambda t, T: 1.0


def linear(*, floor: float = 0.0) -> Schedule:
    """:math:`\\eta_t = \\eta_0\\,(1 - (1 - \\text{floor})\\,t/T)`."""
    return lambda t, T: 1.0 - (1.0 - floor) * min(t / T, 1.0)


def cosine(*, floor: float = 0.0) -> Schedule:
    r""":math:`\eta_t = \eta_0\,\bigl(\text{floor} + (1-\text{floor})\,\tfrac12(1+\cos(\pi t/T))\bigr)`.

    >>> [cosine()(t, 10) for t in (0, 5, 10)]
    [1.0, 0.5, 0.0]
    """
    return lambda t, T: floor + (1.0 - floor) * 0.5 * (1.0 + math.cos(math.pi * min(t / T, 1.0)))


def step(*, drop: float = 0.5, every: float = 10.0) -> Schedule:
    r""":math:`\eta_t = \eta_0\,\text{drop}^{\lfloor t/\text{every}\rfloor}`."""
    if every <= 0:
        raise InvalidValue(f"step: every must be more than 0 epochs, got {every}. Try every=10.")
    return lambda t, T: drop ** math.floor(t / every)


def exponential(*, rate: float = 0.1) -> Schedule:
    r""":math:`\eta_t = \eta_0\,e^{-\text{rate}\cdot t}`."""
    return lambda t, T: math.exp(-rate * t)


def inverse_time(*, rate: float = 0.1) -> Schedule:
    r""":math:`\eta_t = \eta_0 / (1 + \text{rate}\cdot t)`."""
    return lambda t, T: 1.0 / (1.0 + rate * t)


def warm_up(*, epochs: float = 1.0, then: Schedule | None = None) -> Schedule:
    """Rise linearly over ``epochs``, then follow ``then`` (default :func:`cosine`) for the rest of the run.

    >>> warm_up(epochs=2)(1, 10)
    0.5
    """
    if epochs <= 0:
        raise InvalidValue(f"warm_up: epochs must be more than 0, got {epochs}. Try epochs=1.")
    follow = then or cosine()
    return lambda t, T: (
        t / epochs if t < epochs else follow(t - epochs, max(T - epochs, epochs * 1e-9))
    )


SCHEDULES: dict[str, Callable[[], Schedule]] = {
    "constant": constant,
    "linear": linear,
    "cosine": cosine,
    "step": step,
    "exponential": exponential,
    "inverse_time": inverse_time,
    "warm_up": warm_up,
}


def build_schedule(schedule: str | Schedule | None) -> Schedule:
    """Return the schedule called by a name, the function given, or a constant for ``None``.

    >>> build_schedule("cosine")(0, 10)
    1.0
    """
    if schedule is None:
        return constant()
    if isinstance(schedule, str):
        return SCHEDULES[choose("build_schedule", "schedule", schedule, SCHEDULES)]()
    if not callable(schedule):
        raise InvalidType(
            f"build_schedule: schedule must be a name or a function (t, T) -> factor, got {schedule!r}. "
            f"Names: {', '.join(SCHEDULES)}."
        )
    return schedule
