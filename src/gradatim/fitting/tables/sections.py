"""What the report says of a table: its rows and columns, and what the recommended model does on the test rows."""

from collections.abc import Mapping

from gradatim.evaluation.criteria import is_larger_better
from gradatim.fitting.findings import Findings
from gradatim.fitting.sections import frame_usage, target_row, weight_row
from gradatim.fitting.tables.networks import NetworkSettings
from gradatim.fitting.tables.problem import Problem
from gradatim.fitting.verdict import Verdict
from gradatim.plots.importance import importance_bars
from gradatim.reports import Report


def describe_data(report: Report, p: Problem) -> None:
    """Add task, sizes, types of columns, and the target."""
    kinds = [column.kind for column in p.columns]
    rows = [
        ["task", p.task],
        ["training rows", f"{len(p.train):,}"],
        ["test rows", f"{len(p.test):,}" + _how_split(p)],
        *([f"{kind} columns", str(kinds.count(kind))] for kind in dict.fromkeys(kinds)),
        target_row(p),
        *weight_row(p),
    ]
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
        *([("class weights", "balanced")] if s.is_balanced else []),
        ("bins of a number", s.bins),
    ]


def importance_figure(report: Report, importance: Mapping[str, float], verdict: Verdict) -> None:
    """Add permutation importance, if any column has one."""
    if any(value > 0 for value in importance.values()):
        report.figure(
            "importance",
            importance_bars(
                dict(importance),
                label=f"{'loss' if is_larger_better(verdict.metric) else 'increase'} of {verdict.metric}",
            ),
            caption=f"Permutation importance of {verdict.recommended} on the test rows: how much worse the "
            "score gets when a column is shuffled.",
        )


def usage(p: Problem, f: Findings) -> str:
    """Python lines that use the model folder."""
    gives = "labels" if p.classes else "values"
    return frame_usage(f, "new.csv", "columns are found by name", gives=gives, has_classes=bool(p.classes))  # fmt: skip
