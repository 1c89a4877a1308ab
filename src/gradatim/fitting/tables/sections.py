"""What the report says of a table: its rows and columns, and what the recommended model does on the test rows."""

from collections.abc import Mapping

import numpy as np

from gradatim.fitting.findings import Findings
from gradatim.fitting.report import class_figures
from gradatim.fitting.tables.networks import NetworkSettings
from gradatim.fitting.tables.problem import Problem
from gradatim.fitting.verdict import Verdict
from gradatim.plots.importance import importance_bars
from gradatim.plots.residuals import residuals
from gradatim.reports import Report


def describe_data(report: Report, p: Problem) -> None:
    """Add task, sizes, types of columns, and the target."""
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


def _how_split(p: Problem) -> str:
    if p.times is not None:
        return ", the latest"
    if p.groups is not None:
        return ", whole groups"
    return ", drawn at random" + (", stratified by class" if p.classes else "")


def describe_network(s: NetworkSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    return [
        ("hidden layers", " × ".join(map(str, s.hidden))),
        ("activation", s.activation),
        ("dropout", s.dropout),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
        ("steps", s.steps),
        ("members", s.members),
    ]


def judge_figures(report: Report, p: Problem, f: Findings) -> None:
    """Add confusion matrix and calibration of classes, or residuals of numbers."""
    name, output, y = f.verdict.recommended, f.output, p.y[p.test]
    if not p.classes:
        report.figure("residuals", residuals(y, output, label=p.target), caption=f"{name} on the test rows.")  # fmt: skip
        return
    class_figures(report, name, y, output, p.labels)


def importance_figure(report: Report, importance: Mapping[str, float], verdict: Verdict) -> None:
    """Add permutation importance, if any column has one."""
    if any(value > 0 for value in importance.values()):
        report.figure(
            "importance",
            importance_bars(dict(importance), label=f"increase of {verdict.metric}"),
            caption=f"Permutation importance of {verdict.recommended} on the test rows: how much worse the "
            "score gets when a column is shuffled.",
        )


def usage(p: Problem, f: Findings) -> str:
    """Python lines that use the model folder."""
    return (
        "import gradatim\nimport pandas as pd\n\n"
        f"model = gradatim.load_model({str(f.folder)!r})\n"
        'frame = pd.read_csv("new.csv")          # columns are found by name\n'
        "model.predict(frame)                    # " + ("labels" if p.classes else "values") + "\n"
        + ("model.predict_proba(frame)              # probabilities\n" if p.classes else "")
        + ('model.predict(frame, model="network")   # the network instead\n' if f.tuning else "")
    )  # fmt: skip
