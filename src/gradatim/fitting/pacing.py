"""How often a network may pass over its rows: as often as its share of the budget allows."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gradatim.events import Stage, Tell
from gradatim.fitting.work import Work


class Pace(NamedTuple):
    r"""How fast the network with its default settings trains.

    Args:
        speed: Rows per second, or passes per second where all rows make one step; infinite where time plays no part.
        passes: Passes over the rows of a fold in the share of the budget; ``None`` where time plays no part.
    """

    speed: float = math.inf
    passes: float | None = None

    def epochs(self, cost: float, limits: tuple[int, int], untimed: int) -> int:
        """Passes for a network, at the most.

        Args:
            cost: Time of its pass in units of the default's.
            limits: The fewest and the most.
            untimed: Passes where time plays no part.

        Example:
            >>> [Pace(1.0, 50.0).epochs(cost, (4, 30), 10) for cost in (1.0, 5.0, 50.0)], Pace().epochs(1.0, (4, 30), 10)
            ([30, 10, 4], 10)
        """
        return untimed if self.passes is None else int(np.clip(self.passes / cost, *limits))


def measure_pace(
    work: Work, budget: float | None, tell: Tell, measure: Callable[[], float], *, share: float, rows: int = 1
) -> Pace:  # fmt: skip
    """Measure how fast the network trains, once; a run that goes on recalls it.

    Args:
        work: Where the measurement is kept.
        budget: Seconds of the whole run; ``None`` where time plays no part, and nothing is measured.
        tell: Told that this goes on.
        measure: Returns the speed.
        share: Of the budget, for one training on a fold.
        rows: Of a fold, in the unit of the speed.
    """
    if budget is None:
        return Pace()
    tell(Stage("measuring how fast the network trains"))
    speed = work.recall("speed", measure)
    return Pace(speed, share * budget * speed / rows)
