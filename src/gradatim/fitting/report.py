"""The report of a fit: what the data are, how the models compare, what to worry about, how to use the result."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gradatim.evaluation import Report
from gradatim.fitting.comparison import Comparison, Result
from gradatim.fitting.predictors import Fitted
from gradatim.fitting.problem import Problem
from gradatim.fitting.tuning import Tuning, scores
from gradatim.fitting.verdict import NETWORK, Verdict, corrected_interval
from gradatim.plots import comparison_bars, confusion_matrix, learning_curves
from gradatim.plots.calibration import calibration
from gradatim.plots.importance import importance_bars
from gradatim.plots.residuals import residuals


@dataclass
class Findings:
    """Everything the report is made of."""

    problem: Problem
    comparison: Comparison
    tuning: Tuning | None
    verdict: Verdict
    models: dict[str, Fitted]
    outputs: dict[str, np.ndarray]
    test_figures: dict[str, dict[str, float]]
    concerns: list[str]
    importance: dict[str, float]
    history: Any
    folder: str

    def results(self) -> dict[str, list[Result]]:
        """Fold results of every candidate, the network last."""
        network = {} if self.tuning is None else {NETWORK: self.tuning.results}
        return {**self.comparison.simple, **network}

    def cv_means(self) -> dict[str, dict[str, float]]:
        """Mean figures over the folds, by candidate."""
        return {name: _means(results) for name, results in self.results().items()}


def _means(results: list[Result]) -> dict[str, float]:
    names = [n for n in results[0].figures if all(n in r.figures for r in results)]
    return {name: float(np.mean([r.figures[name] for r in results])) for name in names}


def make_report(findings: Findings) -> Report:
    """Compose the report."""
    f, p = findings, findings.problem
    report = Report(title=f"{p.name}: {p.target}", summary=f.verdict.sentence)
    _describe_data(report, p)
    if f.concerns:
        report.table("Warnings", columns=["what to worry about"], rows=[[c] for c in f.concerns])
    comparison_table(report, f)
    _compare_figure(report, f)
    test_table(report, f)
    _describe_network(report, f)
    _judge_figures(report, f)
    if any(value > 0 for value in f.importance.values()):
        report.figure(
            "importance",
            importance_bars(f.importance, label=f"increase of {f.verdict.metric}"),
            caption=f"Permutation importance of {f.verdict.recommended} on the test rows: how much worse the "
            "score gets when a column is shuffled.",
        )
    report.text("How to use the model from Python:")
    report.code("python", _usage(f))
    return report


def _describe_data(report: Report, p: Problem) -> None:
    kinds = [column.kind for column in p.columns]
    rows = [
        ["task", p.task],
        ["training rows", f"{len(p.train):,}"],
        ["test rows", f"{len(p.test):,}" + _how_split(p)],
        *([f"{kind} columns", str(kinds.count(kind))] for kind in dict.fromkeys(kinds)),
    ]
    if p.classes:
        counts = np.bincount(p.y[p.train], minlength=p.classes)
        shown = ", ".join(
            f"{label} {count:,}" for label, count in zip(p.labels[:12], counts, strict=False)
        )
        rows.append(["classes", shown + (", …" if p.classes > 12 else "")])
    else:
        y = p.y[p.train]
        rows.append(["target", f"mean {y.mean():.4g}, deviation {y.std():.4g}, {y.min():.4g} to {y.max():.4g}"])  # fmt: skip
    report.table("Data", columns=["", "value"], rows=rows)
    if p.notes:
        report.table(
            "What was done to the data", columns=["step"], rows=[[note] for note in p.notes]
        )


def _how_split(p: Problem) -> str:
    if p.times is not None:
        return ", the latest"
    if p.groups is not None:
        return ", whole groups"
    return ", drawn at random" + (", stratified by class" if p.classes else "")


def comparison_table(report: Report, f: Findings) -> None:
    """Add the cross-validated figures of every candidate, with intervals."""
    means = f.cv_means()
    others = [name for name in next(iter(means.values())) if name != f.verdict.metric]
    rows = []
    for name, results in f.results().items():
        interval = corrected_interval(scores(results), f.comparison.ratio)
        mark = " ←" if name == f.verdict.recommended else ""
        rows.append(
            [
                name + mark,
                interval.mean,
                f"{_short(max(interval.low, 0.0))} to {_short(interval.high)}",
            ]
            + [means[name].get(other) for other in others]
            + [float(np.mean([r.seconds for r in results]))]
        )
    report.table(
        f"Cross-validation, {len(f.comparison.folds)} folds",
        columns=["model", f.verdict.metric, "95 % interval", *others, "seconds"],
        rows=rows,
    )
    notes = [
        f"The smaller the {f.verdict.metric} the better. All preprocessing is learned anew in every fold. Intervals are "
        "corrected for the training rows that folds share (Nadeau and Bengio). The network's figure of a fold is that of the "
        "setting which was best on the other folds.",
        *f.comparison.notes,
    ]
    report.text(" ".join(notes))


def _short(value: float) -> str:
    from gradatim.evaluation.values import format_value

    return format_value(float(f"{value:.3g}"))


def _compare_figure(report: Report, f: Findings) -> None:
    intervals = {
        n: corrected_interval(scores(r), f.comparison.ratio) for n, r in f.results().items()
    }
    report.figure(
        "comparison",
        comparison_bars(
            {name: i.mean for name, i in intervals.items()},
            label=f"cross-validated {f.verdict.metric} (smaller is better)",
            intervals={name: (max(i.low, 0.0), i.high) for name, i in intervals.items()},
            highlight=f.verdict.recommended,
        ),
        caption="Mean over the folds with corrected 95 % intervals. Intervals of single models are wider than "
        "that of the paired difference, which decides.",
    )


def test_table(report: Report, f: Findings) -> None:
    """Add the figures of the test rows."""
    names = list(next(iter(f.test_figures.values())))
    rows = [
        [name, *(f.test_figures[name].get(key) for key in names), f.models[name].parameters]
        for name in f.models
    ]
    report.table(
        f"Test, {len(f.problem.test):,} rows, used once",
        columns=["model", *names, "numbers stored"],
        rows=rows,
    )


def _describe_network(report: Report, f: Findings) -> None:
    if f.tuning is None:
        report.text("No setting of the network could be trained on every fold.")
        return
    s = f.tuning.settings
    report.table(
        f"Network: best of {f.tuning.trials} settings, {f.tuning.finished} of them on all folds",
        columns=["setting", "value"],
        rows=[
            ["hidden layers", " × ".join(map(str, s.hidden))],
            ["activation", s.activation],
            ["dropout", s.dropout],
            ["weight decay", s.weight_decay],
            ["learning rate", s.lr],
            ["steps", s.steps],
            ["members", s.members],
            ["parameters", f.models[NETWORK].parameters],
        ],
    )
    if f.history is not None:
        report.figure(
            "learning-curves",
            learning_curves({"": f.history}),
            caption="The chosen network on the first fold: training loss (dashed) and loss on the judging rows (solid).",
        )


def _judge_figures(report: Report, f: Findings) -> None:
    name = f.verdict.recommended
    output, y = f.outputs[name], f.problem.y[f.problem.test]
    if not f.problem.classes:
        report.figure("residuals", residuals(y, output, label=f.problem.target), caption=f"{name} on the test rows.")  # fmt: skip
        return
    counts = np.zeros((f.problem.classes, f.problem.classes), dtype=int)
    np.add.at(counts, (y, output.argmax(1)), 1)
    if f.problem.classes <= 30:
        report.figure("confusion", confusion_matrix(counts, f.problem.labels), caption=f"{name} on the test rows.")  # fmt: skip
    report.figure(
        "calibration",
        calibration(output.max(1), output.argmax(1) == y),
        caption=f"{name} on the test rows: how often it is right, by how sure it is of its answer.",
    )


def _usage(f: Findings) -> str:
    return (
        "import gradatim\nimport pandas as pd\n\n"
        f"model = gradatim.load_model({f.folder!r})\n"
        'frame = pd.read_csv("new.csv")          # columns are found by name\n'
        "model.predict(frame)                    # " + ("labels" if f.problem.classes else "values") + "\n"
        + ("model.predict_proba(frame)              # probabilities\n" if f.problem.classes else "")
        + ('model.predict(frame, model="network")   # the network instead\n' if f.tuning else "")
    )  # fmt: skip
