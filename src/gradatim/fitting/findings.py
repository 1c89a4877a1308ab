"""What a contest found, as the report and the model folder show it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gradatim.evaluation.criteria import turn_interval
from gradatim.evaluation.intervals import Interval, error_interval
from gradatim.evaluation.racing import Result, scores
from gradatim.fitting.averaging import Average
from gradatim.fitting.calibrating import Calibrations
from gradatim.fitting.comparison import Comparison
from gradatim.fitting.completion import Completion
from gradatim.fitting.player import AVERAGE, NETWORK, WEIGHT, Figures
from gradatim.fitting.tuning import Tuning
from gradatim.fitting.verdict import Verdict
from gradatim.reports import Concern


@dataclass
class Findings:
    """Everything the report is made of.

    Args:
        folder: Where the model will be.
        comparison: Figures of the simple models on every fold.
        tuning: What the race of networks found; ``None`` where no network could be trained.
        average: The average of the best candidates, where it is better than each of them.
        verdict: The conclusion.
        models: Models by name, trained on the training rows.
        outputs: What they say of the test rows.
        test_figures: How good that is.
        can_watch: Whether there is time to watch the network learn once more.
        completion: The models that are written, and whether they have seen the test rows.
        concerns: What a careful reader would worry about, once it was looked for.
        decisions: How each model says a class, where that is not the likeliest one.
        calibrations: How far models may be wrong.
    """

    folder: Path
    comparison: Comparison
    tuning: Tuning | None
    average: Average | None
    verdict: Verdict
    models: dict[str, Any]
    outputs: dict[str, np.ndarray]
    test_figures: dict[str, Figures]
    can_watch: bool
    completion: Completion
    concerns: list[Concern] = field(default_factory=list)
    decisions: dict[str, np.ndarray] = field(default_factory=dict)
    calibrations: Calibrations = field(default_factory=lambda: Calibrations({}, {}))

    @property
    def decision(self) -> np.ndarray | None:
        """How the recommended model says a class; ``None`` for the likeliest."""
        return self.decisions.get(self.verdict.recommended)

    @property
    def interval_words(self) -> str:
        """What the recommended model gives beside predictions: ``"intervals"``, ``"sets of classes"`` or nothing."""
        if self.verdict.recommended not in self.calibrations.tested:
            return ""
        return "intervals" if self.output.ndim == 1 else "sets of classes"

    @property
    def shipped(self) -> dict[str, Any]:
        """The models that are written."""
        return self.completion.models

    @property
    def output(self) -> np.ndarray:
        """What the recommended model says of the test rows."""
        return self.outputs[self.verdict.recommended]

    @property
    def remarks(self) -> list[str]:
        """What was left out of the comparison, and whom the average averages."""
        return self.comparison.notes + ([] if self.average is None else [self.average.sentence])

    def results(self) -> dict[str, list[Result]]:
        """Fold results of every candidate, from the simplest to the most complex."""
        return all_results(self.comparison, self.tuning, self.average)

    def intervals(self) -> dict[str, Interval]:
        """Mean score of every candidate over the folds, with the ends of its interval, in the metric's own direction."""
        ratio, metric = self.comparison.ratio, self.verdict.metric
        losses = {n: error_interval(scores(own), ratio) for n, own in self.results().items()}
        return {name: turn_interval(metric, interval) for name, interval in losses.items()}

    def cv_means(self) -> dict[str, Figures]:
        """Mean figures over the folds, by candidate."""
        return {name: _means(results) for name, results in self.results().items()}


def all_results(comparison: Comparison, tuning: Tuning | None, average: Average | None) -> dict[str, list[Result]]:  # fmt: skip
    """Fold results of every candidate, from the simplest to the most complex.

    Args:
        comparison: Results of the simple models.
        tuning: What the race of networks found.
        average: The average of the best.
    """
    network = {} if tuning is None else {NETWORK: tuning.results}
    mixed = {} if average is None else {AVERAGE: average.results}
    return {**comparison.simple, **network, **mixed}


def _means(results: list[Result]) -> Figures:
    names = [n for n in results[0].figures if not n.startswith(WEIGHT) and all(n in r.figures for r in results)]  # fmt: skip
    return {name: float(np.mean([r.figures[name] for r in results])) for name in names}
