"""What the reports of several kinds of data say alike."""

import numpy as np

from gradatim.fitting.classes import LabelledRows
from gradatim.fitting.findings import Findings
from gradatim.fitting.report import class_figures
from gradatim.plots.residuals import residuals
from gradatim.reports import Report

LISTED = 12  # classes


def target_row(p: LabelledRows) -> list[str]:
    """Classes and how many training rows each has, or the spread of the values, as a row of a table."""
    y = p.y[p.train]
    if not p.classes:
        spread = f"mean {y.mean():.4g}, deviation {y.std():.4g}, {y.min():.4g} to {y.max():.4g}"
        return ["target", spread]
    counts = np.bincount(y, minlength=p.classes)
    shown = [f"{label} {n:,}" for label, n in zip(p.labels[:LISTED], counts, strict=False)]
    return ["classes", ", ".join(shown) + (", …" if p.classes > LISTED else "")]


def weight_row(p: LabelledRows) -> list[list[str]]:
    """How much rows weigh, as rows of a table; none where all weigh the same."""
    if p.weight is None:
        return []
    w = p.weight[p.train]
    rows = f"{w.min():.4g} to {w.max():.4g}, as much as {w.sum() ** 2 / (w**2).sum():,.0f} equal {p.things}"
    return [[f"weights of training {p.things}", rows]]


def judge_figures(report: Report, p: LabelledRows, f: Findings, *, label: str) -> None:
    """Add confusion and calibration of classes, or residuals of values.

    Args:
        report: Where to draw.
        p: The problem.
        f: What the contest found.
        label: Name of the target.
    """
    name, y = f.verdict.recommended, p.y[p.test]
    if p.classes:
        class_figures(report, name, y, f.output, p.labels, f.decision, p.things)
    else:
        with report.attempt("the residuals"):
            report.figure("residuals", residuals(y, f.output, label=label), caption=f"{name} on the test {p.things}.")  # fmt: skip


def surest_mistakes(output: np.ndarray, y: np.ndarray, most: int) -> list[int]:
    """Rows whose class was missed, the most probable wrong answers first.

    Example:
        >>> surest_mistakes(np.array([[0.6, 0.4], [0.1, 0.9], [0.3, 0.7]]), np.array([1, 0, 1]), 2)
        [1, 0]
    """
    wrong = np.flatnonzero(output.argmax(1) != y)
    order = np.argsort(-output[wrong].max(1), kind="stable")
    return wrong[order][:most].tolist()


def frame_usage(f: Findings, file: str, holds: str, *, gives: str, has_classes: bool = False) -> str:  # fmt: skip
    """Python lines that predict a data frame with the model folder.

    Args:
        f: What the contest found.
        file: Name of a table.
        holds: What must be in it.
        gives: What ``predict`` returns.
        has_classes: Whether there are probabilities.
    """
    lines = [
        ("import gradatim", ""),
        ("import pandas as pd", ""),
        ("", ""),
        (f"model = gradatim.load_model({str(f.folder)!r})", ""),
        (f'frame = pd.read_csv("{file}")', holds),
        ("model.predict(frame)", gives),
        *([("model.predict_proba(frame)", "probabilities")] if has_classes else []),
        *(
            [("model.predict_interval(frame)", f"{f.interval_words} that hold 90 %")]
            if f.interval_words
            else []
        ),
        *([('model.predict(frame, model="network")', "the network instead")] if f.tuning else []),
    ]
    return "".join(f"{code:<40}# {comment}\n" if comment else f"{code}\n" for code, comment in lines)  # fmt: skip
