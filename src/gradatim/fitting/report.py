"""The report of a contest: what the data are, how the models compare, what to worry about, how to use the result."""

from typing import Any

import numpy as np

from gradatim.evaluation.criteria import is_larger_better
from gradatim.evaluation.judged import decide_classes
from gradatim.fitting.classes import LabelledRows
from gradatim.fitting.coverage import describe_intervals
from gradatim.fitting.findings import Findings
from gradatim.fitting.player import NETWORK, Player
from gradatim.fitting.rare_classes import has_one_class_each, rare_classes
from gradatim.plots import comparison_bars, confusion_matrix, learning_curves
from gradatim.plots.calibration import calibration
from gradatim.reports import Report
from gradatim.reports.values import format_value
from gradatim.wording import numbered


def make_report(player: Player, findings: Findings) -> Report:
    """Compose the report."""
    f = findings
    report = Report(title=player.title, summary=f.verdict.sentence)
    with report.attempt("the data"):
        player.describe(report)
    with report.attempt("part of the warnings"):
        _find_concerns(player, f)
    if player.notes:
        steps = [[note] for note in player.notes]
        report.table("What was done to the data", columns=["step"], rows=steps)
    if f.concerns:
        report.table(
            "Warnings", columns=["what to worry about"], rows=[[str(c)] for c in f.concerns]
        )
    with report.attempt("the comparison"):
        comparison_table(report, f, player.things)
    with report.attempt("the figure of the comparison"):
        _compare_figure(report, f)
    with report.attempt("the test"):
        test_table(report, f, player)
    if isinstance(player.problem, LabelledRows) and has_one_class_each(player.problem, f):
        with report.attempt("rare classes"):
            rare_classes(report, player.problem, f, player.costs)
    with report.attempt("the intervals"):
        describe_intervals(report, player, f)
    report.text(f.completion.sentence)
    with report.attempt("the network"):
        _describe_network(report, player, f)
    with report.attempt("what the model does"):
        player.explain(report, f)
    report.text("How to use the model from Python:")
    with report.attempt("the usage"):
        report.code("python", player.usage(f))
    return report


def _find_concerns(player: Player, f: Findings) -> None:
    """Look for what is doubtful about the recommended model and the data; what is found first stays if the rest fails."""
    name = f.verdict.recommended
    f.concerns.extend(player.nothing_learned(name))
    f.concerns.extend(player.beyond(f.models[name], f.output))
    f.concerns.extend(player.concerns())


def comparison_table(report: Report, f: Findings, things: str) -> None:
    """Add the cross-validated figures of every candidate, with intervals."""
    means = f.cv_means()
    others = [name for name in next(iter(means.values())) if name != f.verdict.metric]
    rows = []
    for name, interval in f.intervals().items():
        results = f.results()[name]
        mark = " ←" if name == f.verdict.recommended else ""
        rows.append(
            [
                name + mark,
                interval.mean,
                f"{_short(interval.low)} to {_short(interval.high)}",
            ]
            + [means[name].get(other) for other in others]
            + [float(np.mean([r.seconds for r in results]))]
        )
    report.table(
        f"Cross-validation, {len(f.comparison.folds)} folds",
        columns=["model", f.verdict.metric, "95 % interval", *others, "seconds"],
        rows=rows,
    )
    metric, larger = f.verdict.metric, is_larger_better(f.verdict.metric)
    missing = (
        f"of what is missing to 1, as no {metric} is more"
        if larger
        else "as errors are never negative"
    )
    if metric.startswith("neg_"):
        missing = "as errors are never negative"
    notes = [
        f"The {'larger' if larger else 'smaller'} the {metric} the better. All preprocessing is learned anew in every fold. Intervals are "
        f"corrected for the training {things} that folds share (Nadeau and Bengio), and factors around the mean, {missing}. "
        "The network's figure of a fold is that of the setting which was best on the other folds.",
        *f.remarks,
    ]
    report.text(" ".join(notes))


def _short(value: float) -> str:
    return format_value(float(f"{value:.3g}"))


def _compare_figure(report: Report, f: Findings) -> None:
    intervals = f.intervals()
    report.figure(
        "comparison",
        comparison_bars(
            {name: i.mean for name, i in intervals.items()},
            label=f"cross-validated {f.verdict.metric} ({'larger' if is_larger_better(f.verdict.metric) else 'smaller'} is better)",
            intervals={name: (i.low, i.high) for name, i in intervals.items()},
            highlight=f.verdict.recommended,
        ),
        caption="Mean over the folds with corrected 95 % intervals. Intervals of single models are wider than "
        "that of the paired difference, which decides.",
    )


def test_table(report: Report, f: Findings, player: Player) -> None:
    """Add the figures of the test rows."""
    names = list(next(iter(f.test_figures.values())))
    report.table(
        f"Test, {numbered(player.rows[1], player.things)}, used once",
        columns=["model", *names, "numbers stored"],
        rows=[
            [name, *(f.test_figures[name].get(key) for key in names), model.parameters]
            for name, model in f.models.items()
        ],
    )


def _describe_network(report: Report, player: Player, f: Findings) -> None:
    if f.tuning is None:
        report.text("No network was trained on every fold.")
        return
    rows = [list(row) for row in player.describe_network(f.tuning.settings)]
    report.table(
        f"Network: best of {numbered(f.tuning.trials, 'settings')}, {f.tuning.finished} of them on all folds",
        columns=["setting", "value"],
        rows=[*rows, ["parameters", f.models[NETWORK].parameters]],
    )
    if f.can_watch:
        with report.attempt("the learning curve"):
            _learning_curve(report, player, f.tuning.settings)


def _learning_curve(report: Report, player: Player, settings: Any) -> None:
    history = player.watch(settings)
    if history is not None:
        report.figure(
            "learning-curves",
            learning_curves({"": history}),
            caption=f"The chosen network on the first fold: training loss (dashed) and loss on the judging {player.things} (solid).",
        )


def class_figures(report: Report, name: str, y: np.ndarray, output: np.ndarray, labels: list[str | int], decision: np.ndarray | None, things: str) -> None:  # fmt: skip
    """Add confusion matrix and calibration of a classifier on the test part."""
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    np.add.at(counts, (y, decide_classes(output, decision)), 1)
    if len(labels) <= 30:
        with report.attempt("the confusion matrix"):
            report.figure("confusion", confusion_matrix(counts, labels), caption=f"{name} on the test {things}.")  # fmt: skip
    with report.attempt("the calibration"):
        report.figure(
            "calibration",
            calibration(output.max(1), output.argmax(1) == y),
            caption=f"{name} on the test {things}: how often it is right, by how sure it is of its answer.",
        )
