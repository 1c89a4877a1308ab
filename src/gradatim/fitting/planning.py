"""What fits into the budget: a cost is measured on few rows before anything is trained on many.

What would take too long learns from fewer rows, meets fewer folds, or is left out; each is said in a sentence. Every decision
is kept with the results, so that a resumed run makes the same ones.
"""

import math
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache

import torch

from gradatim.fitting.player import NETWORK, Candidate, Player
from gradatim.fitting.work import Work
from gradatim.threads import limit_threads, safe_threads
from gradatim.wording import brief

SHARE = 0.5  # of the time left after reading, for the comparison
FEWEST_FOLDS = 2
HARD_SHARE = 0.7  # of the time left after reading, when the second fold must be over
SECOND_SHARE = 0.1  # of the budget, that the second fold gets however late it is
LEAST_SHARE = 0.02  # of the budget, that anything gets
LEAST_ROWS = 200  # from which a model learns, or is left out
FAVOURED = 0.5  # of the time for the first fold, that the most promising simple model may use
FIRST_OPTIMIZER = 1.2  # seconds of a free processor that PyTorch takes to make its first one
FIRST_SHARE = 0.25  # of the time left, that this may take
REFINED = 0.1  # of the time for a training, that a closer look at its cost may take


def affordable_rows(
    rows: int,
    seconds: float,
    probe: Callable[[int], float],
    effort: Callable[[int], float],
    *,
    first: int,
    share: float = 1.0,
    least: int = LEAST_ROWS,
) -> int:
    """From how many rows a model learns within ``seconds``: all, fewer, or 0 where it would be too few.

    Times are measured on ``first`` rows, then on four times as many, as long as that is cheap and the answer is not yet
    "all": two measurements tell what does not grow with the rows.

    Args:
        rows: Rows there are.
        seconds: Time for a training and its judgement.
        probe: Trains on so many rows and returns how long all of it would take.
        effort: How work grows with rows, in any unit.
        first: Rows of the first probe.
        share: What a probe really takes, of the time that it returns.
        least: Fewer rows are too few.

    Example:
        >>> affordable_rows(10_000, 2.0, lambda n: n / 1000, lambda n: n, first=500)
        2000
    """
    count, pace, known = (
        min(first, rows),
        math.inf,
        (0.0, 0.0),
    )  # effort and time of the probe before
    while True:
        work, spent = effort(count), probe(count)
        slope = (spent - known[1]) / (work - known[0])
        pace = spent / work if known[0] == 0 else min(max(slope, 0.25 * spent / work), spent / work)
        if spent + pace * (effort(rows) - work) <= seconds:
            return rows
        if count == rows or spent * share > REFINED * seconds:
            break
        count, known = min(4 * count, rows), (work, spent)
    low, high = 0, rows  # the largest number that fits lies between them
    while high - low > 1:
        middle = (low + high) // 2
        fits = spent + pace * (effort(middle) - work) <= seconds
        low, high = (middle, high) if fits else (low, middle)
    return low if low >= min(least, rows) else 0


@cache
def make_first_optimizer() -> None:
    """Let PyTorch load what its first optimizer needs: a second that is no model's own, so none is charged with it."""
    torch.optim.AdamW([torch.zeros(1, requires_grad=True)])


def begin_network(work: Work, budget: float) -> bool:
    """Make the first optimizer, unless that would take too long; then no network takes part.

    How long it takes is told by how much of a processor this process has got so far.

    Args:
        work: The clock.
        budget: Seconds of the whole run.
    """
    own = work.elapsed - work.spent
    seconds = FIRST_OPTIMIZER * max(own / max(time.process_time(), 1e-9), 1.0)
    is_made = "torch._dynamo" in sys.modules  # it is what takes so long
    if not is_made and seconds > FIRST_SHARE * (budget - work.elapsed):
        return False
    make_first_optimizer()
    return True


class Field:
    """Who takes part in a comparison, fold by fold.

    Args:
        player: The data.
        work: The clock, and where decisions are kept.
        budget: Seconds of the whole run; ``None`` where time plays no part.

    Attributes:
        names: Models that take part, the network last.
        notes: What was left out or made smaller, one sentence each.
    """

    def __init__(self, player: Player, work: Work, budget: float | None) -> None:
        self.player, self.work, self.budget = player, work, budget
        self.names, self.notes = [*player.simple, NETWORK], list[str]()
        self.began = work.elapsed
        self.rest = math.inf if budget is None else max(budget - self.began, LEAST_SHARE * budget)

    @property
    def reading(self) -> float:
        """Seconds before the first fold of the first run."""
        return self.work.recall("reading", lambda: self.began)

    @property
    def order(self) -> list[str]:
        """Models in the order in which they are judged: behind the trivial one, the most promising."""
        return sorted(self.names, key=lambda n: (n != self.names[0], n != self.player.favourite))

    def admit(self, name: str) -> bool:
        """Whether a model takes part; one that would take too long may be held to fewer rows."""
        if self.budget is None or name == self.names[0]:
            return True
        if name == NETWORK and not self.player.has_network:
            self._drop(name, "PyTorch alone would take too long to start training")
            return False
        rows = self.work.recall(f"rows-{_slug(name)}", lambda: self._rows(name))
        if rows is None:
            return True
        if rows:
            self.player.most_rows[name] = rows
            end = "" if name == NETWORK and self.player.is_sample else " and at the end"
            self.notes.append(f"The model '{name}' learns from {rows:,} {self.player.things} in each fold{end}, to keep within the budget.")  # fmt: skip
        else:
            self._drop(name, f"it could not learn from enough {self.player.things} in time")
        return bool(rows)

    def _rows(self, name: str) -> int | None:
        """Rows for a model on its share of the first fold; ``None`` for all."""
        assert self.budget is not None
        left = self.began + SHARE * self.rest / FEWEST_FOLDS - self.work.elapsed
        waiting = len(self.names) - self.order.index(name)
        share = FAVOURED if name == self.player.favourite else 1 / waiting
        seconds = max(share * left, LEAST_SHARE * self.budget)
        settings = self.player.draw(0) if name == NETWORK else None
        with limit_threads(safe_threads()):
            return self.player.affordable_rows(Candidate(name, settings), seconds)

    def goes_on(self, k: int, seconds: Mapping[str, float], losses: Mapping[str, float]) -> bool:
        """Whether fold ``k`` is begun; whom a second fold would take too long leaves the comparison.

        Args:
            k: The fold.
            seconds: What it will take, by model.
            losses: How models did on the first fold.
        """
        if self.budget is None or k == 0:
            return True
        if k < FEWEST_FOLDS:
            for name in self.work.recall(f"too-slow-{k}", lambda: self._too_slow(seconds, losses)):
                self._drop(name, f"another fold would take {brief(seconds[name])} s")
            return True
        planned = self.work.elapsed + sum(seconds[name] for name in self.names)
        return self.work.recall(f"go-on-{k}", lambda: planned <= self.began + SHARE * self.rest)

    def _too_slow(self, seconds: Mapping[str, float], losses: Mapping[str, float]) -> list[str]:
        """The slowest, until the others have time, first of those that a faster one beats; the trivial model stays."""
        assert self.budget is not None
        left = max(
            self.began + HARD_SHARE * self.rest - self.work.elapsed, SECOND_SHARE * self.budget
        )

        def is_needless(name: str) -> bool:
            return any(seconds[n] < seconds[name] and losses[n] <= losses[name] for n in self.names)

        order = sorted(self.names[1:], key=lambda name: (not is_needless(name), -seconds[name]))
        dropped = []
        for name in order:
            if sum(seconds[n] for n in self.names if n not in dropped) <= left:
                break
            dropped.append(name)
        return dropped

    def _drop(self, name: str, why: str) -> None:
        self.names.remove(name)
        self.notes.append(f"The model '{name}' is left out, to keep within the budget: {why}.")


def _slug(name: str) -> str:
    return name.replace(" ", "-")
