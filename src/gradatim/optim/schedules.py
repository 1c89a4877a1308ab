r"""Learning-rate schedules: the factor on the initial rate at time ``t`` of a run of length ``T``, both in epochs.

A schedule is a plain function ``(t, T) -> factor``; ``t`` grows continuously with every batch.
"""

import math
from collections.abc import Callable

from gradatim.errors import InvalidType, InvalidValue, choose

Schedule = Callable[[float, float], float]


def constant(factor: float = 1.0) -> Schedule:
    r""":math:`\eta_t = \text{factor}\cdot\eta_0`."""
    return lambda t, T: factor


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


def cosine_restarts(
    *, period: float = 10.0, multiplier: float = 1.0, floor: float = 0.0
) -> Schedule:
    r"""Cosine that starts anew after ``period`` epochs, then after ``multiplier`` times as many, and so on.

    .. math:: \eta_t = \eta_0\,\bigl(\text{floor} + (1-\text{floor})\,\tfrac12(1+\cos(\pi\tau/T_i))\bigr)

    with :math:`\tau` epochs since the last restart and :math:`T_i=\text{period}\cdot\text{multiplier}^i`. (The
    plain cosine formula continued past its end would climb back as slowly as it fell.)

    >>> restarts = cosine_restarts(period=4, multiplier=2)
    >>> [round(restarts(t, 28), 2) for t in (0, 2, 3.99, 4, 8, 11.99, 12)]
    [1.0, 0.5, 0.0, 1.0, 0.5, 0.0, 1.0]

    Reference:
        Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2017.
    """
    if not period > 0:
        raise InvalidValue(
            f"cosine_restarts: period must be more than 0 epochs, got {period}. Try period=10."
        )
    if not multiplier >= 1:
        raise InvalidValue(
            f"cosine_restarts: multiplier must be at least 1, got {multiplier}. Try multiplier=2."
        )
    one = cosine(floor=floor)

    def factor(t: float, T: float) -> float:
        if multiplier == 1:
            return one(t % period, period)
        cycle = max(math.floor(math.log1p(t / period * (multiplier - 1)) / math.log(multiplier)), 0)
        start, length = _cycle(period, multiplier, cycle)
        # the logarithm may round to a neighbour of the right cycle
        if t < start:
            start, length = _cycle(period, multiplier, cycle - 1)
        elif t >= start + length:
            start, length = _cycle(period, multiplier, cycle + 1)
        return one(t - start, length)

    return factor


def _cycle(period: float, multiplier: float, index: int) -> tuple[float, float]:
    """Start and length of a cycle: a geometric series."""
    length = period * multiplier**index
    return (length - period) / (multiplier - 1), length


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


def sequence(*parts: tuple[float, Schedule] | Schedule) -> Schedule:
    """Follow schedules one after another: pairs ``(epochs, schedule)``, then one for the rest of the run.

    Each sees a time that starts at zero and a run as long as its own part.

    >>> rate = sequence((2, constant()), (4, cosine(floor=0.1)), constant(0.1))
    >>> [round(rate(t, 10), 2) for t in (0, 2, 4, 6, 10)]
    [1.0, 1.0, 0.55, 0.1, 0.1]
    """
    *timed, last = parts or (None,)
    if any(not isinstance(part, tuple) for part in timed) or not callable(last):
        raise InvalidType(
            "sequence: parts must be pairs (epochs, schedule) and, last, a schedule for the rest, "
            f"got {parts!r}. Try sequence((5, constant()), cosine())."
        )
    for epochs, _ in timed:  # type: ignore[misc]
        if not epochs > 0:
            raise InvalidValue(f"sequence: epochs must be more than 0, got {epochs}.")

    def factor(t: float, T: float) -> float:
        for epochs, schedule in timed:  # type: ignore[misc]
            if t < epochs:
                return schedule(t, epochs)
            t, T = t - epochs, T - epochs
        return last(t, max(T, 1e-9))

    return factor


def product(*schedules: Schedule) -> Schedule:
    """Multiply the factors of several schedules.

    >>> product(linear(), step(drop=0.1, every=5))(5, 10)
    0.05
    """
    for schedule in schedules:
        if not callable(schedule):
            raise InvalidType(
                f"product: schedules must be functions (t, T) -> factor, got {schedule!r}. Try cosine()."
            )
    return lambda t, T: math.prod(schedule(t, T) for schedule in schedules)


SCHEDULES: dict[str, Callable[[], Schedule]] = {
    "constant": constant,
    "linear": linear,
    "cosine": cosine,
    "cosine_restarts": cosine_restarts,
    "step": step,
    "exponential": exponential,
    "inverse_time": inverse_time,
    "warm_up": warm_up,
}


def build_schedule(schedule: str | Schedule | None) -> Schedule:
    """Return the schedule called by a name, the function given, or a constant for ``None``.

    Args:
        schedule: One of ``SCHEDULES``, a function ``(t, T) -> factor``, or ``None``.

    Example:
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
