"""What the report says of classes of which there are few rows: how many are found, at which threshold, at what cost."""

import numpy as np

from gradatim.evaluation.judged import Judged
from gradatim.fitting.classes import LabelledRows
from gradatim.fitting.findings import Findings
from gradatim.plots.precision_recall import precision_recall
from gradatim.reports import Report
from gradatim.reports.values import format_value

RARE = 0.05  # of the rows
LISTED = 20  # classes


def has_rare_class(p: LabelledRows) -> bool:
    """Whether a class has few of the training rows."""
    shares = np.bincount(p.y[p.train], minlength=p.classes) / len(p.train)
    return bool(p.classes) and bool(shares.min() < RARE)


def has_one_class_each(p: LabelledRows, f: Findings) -> bool:
    """Whether every row has one class, and what is said of it are probabilities of all."""
    return p.y.ndim == 1 and bool(p.classes) and f.output.shape == (len(p.test), p.classes)


def rare_classes(report: Report, p: LabelledRows, f: Findings, costs: np.ndarray | None) -> None:
    """Add counts, recall and precision of every class, the threshold, costs, and precision over recall.

    Args:
        report: Where to write.
        p: The problem.
        f: What the contest found.
        costs: What mistakes cost, where that is known.
    """
    if f.decision is None and not has_rare_class(p):
        return
    weight = None if p.weight is None else p.weight[p.test]
    judged = Judged(p.y[p.test], f.output, p.classes, weight=weight, decision=f.decision)
    counts = [np.bincount(p.y[rows], minlength=p.classes) for rows in (p.train, p.test)]
    columns = zip(p.labels, *counts, judged.recalls(), judged.precisions(), strict=True)
    report.table(
        "Classes",
        columns=["class", f"training {p.things}", f"test {p.things}", "found (recall)", "right when said (precision)"],
        rows=[[str(label), int(a), int(b), _share(r), _share(q)] for label, a, b, r, q in list(columns)[:LISTED]],
    )  # fmt: skip
    for sentence in describe_decision(
        f.decision, p.labels, f.verdict.metric, is_cost=costs is not None
    ):
        report.text(sentence)
    if costs is not None and p.classes <= LISTED:
        _cost_table(report, judged, costs, p)
    if p.classes == 2 and len(np.unique(judged.y)) == 2:
        threshold = None if f.decision is None else threshold_of(f.decision)
        with report.attempt("precision and recall"):
            report.figure(
                "precision-recall",
                precision_recall(judged.y == 1, f.output[:, 1], threshold),
                caption=f"{f.verdict.recommended} on the test {p.things}: which share of {p.labels[1]!r} is found, and how often it is right, "
                "at every threshold. The line is what chance would give.",
            )


def _share(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def threshold_of(decision: np.ndarray) -> float:
    """The probability of the second of two classes from which it is said.

    Example:
        >>> threshold_of(np.array([1.0, 4.0])), threshold_of(np.array([[0.0, 1.0], [4.0, 0.0]]))
        (0.2, 0.2)
    """
    if decision.ndim == 1:
        return float(decision[0] / decision.sum())
    alarm, miss = decision[0, 1] - decision[0, 0], decision[1, 0] - decision[1, 1]
    return float(alarm / (alarm + miss)) if alarm + miss > 0 else 0.5


def describe_decision(decision: np.ndarray | None, labels: list[str | int], metric: str, *, is_cost: bool) -> list[str]:  # fmt: skip
    """How a class is said, in words; nothing where it is the likeliest one.

    Example:
        >>> describe_decision(np.array([0.5, 2.0]), ["no", "yes"], "F1", is_cost=False)
        ["'yes' is said where its probability is at least 0.2, the threshold that is best for the F1 over the folds; the probabilities are as they were learned."]
    """
    if decision is None:
        return []
    why = (
        "at which it costs less"
        if is_cost
        else f"the threshold that is best for the {metric} over the folds"
    )
    after = "; the probabilities are as they were learned."
    if len(labels) == 2:
        shown = format_value(float(f"{threshold_of(decision):.3g}"))
        return [f"{labels[1]!r} is said where its probability is at least {shown}, {why}{after}"]
    if is_cost:
        return [f"Said is the class that is expected to cost least{after}"]
    weights = ", ".join(f"{label} {w:.3g}" for label, w in list(zip(labels, decision, strict=True))[:LISTED])  # fmt: skip
    return [f"Said is the class with the largest probability times weight ({weights}), best for the {metric} over the folds{after}"]  # fmt: skip


def _cost_table(report: Report, judged: Judged, costs: np.ndarray, p: LabelledRows) -> None:
    rows = len(judged.y)
    cells = [
        [f"{round(share * rows):,} × {cost:g}" for share, cost in zip(*pair, strict=True)]
        for pair in zip(judged.confusion, costs, strict=True)
    ]
    report.table(
        f"Test {p.things} and what each costs: true class by row, class said by column",
        columns=["", *map(str, p.labels)],
        rows=[[str(label), *own] for label, own in zip(p.labels, cells, strict=True)],
    )
