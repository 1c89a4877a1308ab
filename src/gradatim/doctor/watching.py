"""Watching a loop of one's own, in Python."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn
from torch.optim import Optimizer

from gradatim.doctor.facts import Facts, Failure
from gradatim.doctor.failing import describe_failure
from gradatim.doctor.findings import Diagnosis
from gradatim.doctor.locating import locate
from gradatim.doctor.observing import Observer
from gradatim.doctor.ranking import diagnose


class Seen:
    """What was seen of a loop, while it runs and after it.

    Attributes:
        observer: Who looks.
    """

    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._failure: Failure | None = None

    @property
    def facts(self) -> Facts:
        """What is known so far."""
        facts = self.observer.facts()
        facts.failure = self._failure
        finish(self.observer, facts)
        return facts

    @property
    def diagnosis(self) -> Diagnosis:
        """The verdict so far."""
        return diagnose(self.facts)

    def fail(self, error: BaseException) -> None:
        """Note the exception that ended the loop."""
        self._failure = describe_failure(error, self.observer)


def finish(observer: Observer, facts: Facts) -> None:
    """What is computed once, at the end: what was active in evaluations, and what simple models find in the rows."""
    observer.safely("lines", locate, observer, facts)
    active = observer.evaluations.active
    if active.seen:
        facts.witnesses["train-in-evaluation"] = active
    losses = [loss for loss in facts.series.loss if loss == loss]
    constant = facts.constant_loss()
    best = min((e.loss for e in facts.evaluations if e.loss is not None), default=None)
    learned = constant is None or not losses or min(losses[-5:]) < 0.6 * constant
    poor = best is not None and constant is not None and best > 0.9 * constant
    if len(losses) >= 20 and (not learned or poor):
        facts.data.signal = observer.safely("simple models", observer.rows.learn) or {}


@contextmanager
def watch(model: nn.Module | None = None, optimizer: Optimizer | None = None, *, every: int = 20) -> Iterator[Seen]:  # fmt: skip
    """Watch the training loop in the block, whatever it looks like.

    Args:
        model: The network, if it was made before the block; it is found by itself once it is called.
        optimizer: The optimizer, likewise.
        every: After the first 16 steps every so many-th is looked at.

    Example:
        >>> import torch
        >>> model = nn.Linear(2, 1)
        >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        >>> with watch(model, optimizer) as seen:
        ...     for _ in range(20):
        ...         model(torch.ones(4, 2)).pow(2).mean().backward()
        ...         _ = optimizer.step()
        >>> seen.diagnosis.findings[0].code
        'optim.no-zero-grad'
    """
    observer = Observer(every=every)
    observer.know(model, optimizer)
    seen = Seen(observer)
    with observer:
        try:
            yield seen
        except Exception as error:
            seen.fail(error)
            raise
