"""What a kind of data must be able to do to take part in the contest of :mod:`gradatim.fitting.contest`.

A player is made by its reader from the user's data and settings; it holds the rows, the test rows and the folds. The
contest decides who trains when, and how long; the player knows how.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from gradatim.evaluation.splits import Split
from gradatim.events import Tell
from gradatim.fitting.work import Work
from gradatim.reports import Concern, Report
from gradatim.training import History

if TYPE_CHECKING:
    from gradatim.fitting.findings import Findings

NETWORK = "network"

Figures = dict[str, float]


class Candidate(NamedTuple):
    """A model in the contest: a simple one by its name, or the network with its settings.

    Args:
        name: Name of a simple model, or ``"network"``.
        settings: Settings of the network, as the player drew them.
    """

    name: str
    settings: Any = None


class Player(Protocol):
    """Data that were read and split, with everything that is done to them.

    Attributes:
        name: Short name of the data.
        title: What is learned, for the report.
        headline: What is learned from how much, in a line.
        task: The task in words.
        notes: What was done to the data, one sentence each.
        simple: Names of the simple models, from the simplest to the most complex; the first is the trivial one.
        folds: Rows to learn from and rows to judge by, in order of use.
        rows: Rows for training and for the test.
        last: Trainings of the network after tuning, in units of one on a fold.
    """

    name: str
    title: str
    headline: str
    task: str
    notes: list[str]
    simple: tuple[str, ...]
    folds: list[Split]
    rows: tuple[int, int]
    last: float

    def fingerprint(self) -> str:
        """Return a hash of everything that training sees; a killed run resumes only with the same."""

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Plan for the budget before the first fold; what is measured is kept in ``work``.

        Args:
            work: Where a measurement is recalled from, so that a resumed run makes the same plan.
            budget: Seconds of the whole run; ``None`` where time plays no part.
            tell: Called where it takes long.
        """

    def draw(self, trial: int) -> Any:
        """Return the network's settings of trial number ``trial``, a data class; trial 0 has the defaults."""

    def cost(self, settings: Any) -> float:
        """Return the training time of settings in units of that of trial 0, about."""

    def judge(self, candidate: Candidate, k: int) -> Figures:
        """Learn from the training rows of fold ``k`` and return the figures of its judging rows.

        The first figure decides, smaller is better. ``NonFiniteError``, ``LinAlgError`` and ``ValueError`` mean that the
        candidate failed.
        """

    def train(self, candidate: Candidate) -> Any:
        """Return the candidate, trained on all training rows; ``parameters`` of what is returned counts its numbers."""

    def predict_test(self, model: Any) -> np.ndarray:
        """Return what a trained model says of the test rows."""

    def measure_test(self, output: np.ndarray) -> Figures:
        """Return the figures of predictions of the test rows."""

    def watch(self, settings: Any) -> History | None:
        """Return the learning curve of the network on the first fold, if it has one to show."""

    def concerns(self) -> list[Concern]:
        """Return all that may make the result less than it seems."""

    def describe(self, report: Report) -> None:
        """Add what the data are to the report."""

    def describe_network(self, settings: Any) -> list[tuple[str, object]]:
        """Return the network's settings, for people."""

    def explain(self, report: Report, findings: "Findings") -> None:
        """Add figures of what the recommended model does on the test rows to the report."""

    def usage(self, findings: "Findings") -> str:
        """Return Python lines that use the model folder."""

    def save(self, folder: Path, findings: "Findings", about: Mapping[str, Any], extra: Mapping[str, bytes]) -> Any:  # fmt: skip
        """Write the model folder, with the ``extra`` files, and return the model as it will be loaded."""
