"""Training in rounds: how large and how long, a look at the validation part after each, an end in time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from torch import Tensor

from gradatim.reports import Concern
from gradatim.training import Callback, History, Trainer

OUT_OF_TIME = "out of time"


class Size(NamedTuple):
    """Width, depth and heads of a network."""

    dim: int
    num_layers: int
    num_heads: int


@dataclass(frozen=True)
class Plan:
    """How a network is built and trained.

    Args:
        size: Width, depth and heads.
        context: Tokens it looks at.
        batch_size: Windows or pairs of a step.
        steps: Steps of a round.
        rounds: Rounds, each with a look at the validation part.
        dropout: Probability to drop an entry.
        seed: Fixes all randomness.
    """

    size: Size
    context: int = 64
    batch_size: int = 64
    steps: int = 1
    rounds: int = 10
    dropout: float = 0.0
    seed: int = 0

    @property
    def tokens(self) -> int:
        """Tokens that training reads."""
        return self.rounds * self.steps * self.batch_size * self.context


def largest_plan(
    plans: Iterable[Plan], count: Callable[[Plan], int], is_enough: Callable[[Plan], bool]
) -> Plan:
    """The largest network that still learns enough in the time there is; the smallest in any case.

    Args:
        plans: Ever larger ones.
        count: Steps that the time allows.
        is_enough: Whether a plan with so many steps is worth its size.

    Returns:
        The plan, with all its steps in one round.

    Example:
        >>> plans = [Plan(Size(dim, 1, 1)) for dim in (10, 20, 40)]
        >>> largest_plan(plans, lambda plan: 100 // plan.size.dim, lambda plan: plan.steps >= 5)
        Plan(size=Size(dim=20, num_layers=1, num_heads=1), context=64, batch_size=64, steps=5, rounds=1, dropout=0.0, seed=0)
    """
    best: Plan | None = None
    for plan in plans:
        whole = replace(plan, steps=count(plan), rounds=1)
        if best is not None and not is_enough(whole):
            break
        best = whole
    assert best is not None
    return best


class Deadline(Callback):
    """Ask the trainer to stop when the time is over."""

    any_layout = True

    def __init__(self, is_over: Callable[[], bool]) -> None:
        self.is_over = is_over

    def on_batch_end(self, trainer: Trainer, loss: Tensor | None) -> None:
        if self.is_over():
            trainer.stop(OUT_OF_TIME)


def early_end(history: History, rounds: int, remedy: str) -> list[Concern]:
    """Say, if so, that training did not take all its rounds, and why.

    Example:
        >>> print(*early_end(History([{"epoch": 1}], stopped="out of time"), 5, "More pairs"))
        The machine was slower than measured: training ended after 1 of 5 rounds.
    """
    done = f"training ended after {len(history.records)} of {rounds} rounds"
    if history.stopped is None or (history.stopped == OUT_OF_TIME and len(history) == rounds):
        return []
    if history.stopped == OUT_OF_TIME:
        return [Concern("The machine was slower than measured", done)]
    remedy = f"{remedy} would help more than time"
    return [Concern("Learning came to an end early", f"{done}, {history.stopped}", remedy)]
