"""What the report says of texts: how many and how long, the telling words, the most confident mistakes."""

import numpy as np

from gradatim.fitting import sections
from gradatim.fitting.findings import Findings
from gradatim.fitting.texts.linear import WORDS, WordModel
from gradatim.fitting.texts.networks import TextSettings
from gradatim.fitting.texts.pretrained import HEAD, TUNED, PretrainedSettings
from gradatim.fitting.texts.problem import TextProblem
from gradatim.plots.importance import importance_bars
from gradatim.reports import Report

READERS = {"bag": "mean of word embeddings", "gru": "bidirectional GRU over the words"}
METHODS = {
    HEAD: "MiniLM as published, a linear head on its vector and the words",
    TUNED: "MiniLM, all its weights fine-tuned",
}
EXCERPT = 160  # characters of a text that are shown
TOLD = 12  # words on either side


def describe_data(report: Report, p: TextProblem, lengths: np.ndarray) -> None:
    """Add task, sizes, lengths and the target."""
    low, middle, high = np.percentile(lengths[p.train], [5, 50, 95])
    rows = [
        ["task", p.task],
        ["training texts", f"{len(p.train):,}"],
        ["test texts", f"{len(p.test):,}"],
        ["words per text", f"{middle:.0f} (5 % below {low:.0f}, 5 % above {high:.0f})"],
        sections.target_row(p),
    ]
    report.table("Data", columns=["", "value"], rows=rows)


def describe_network(s: TextSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    shown: list[tuple[str, object]] = [("reader", READERS[s.reader]), ("embedding", s.dim)]
    if s.reader == "gru":
        shown.append(("hidden units per direction", s.hidden_dim))
    return [
        *shown,
        ("largest vocabulary", s.words),
        ("words read of a text", s.length),
        ("dropout", s.dropout),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
        ("epochs", s.epochs),
    ]


def describe_pretrained(s: PretrainedSettings) -> list[tuple[str, object]]:
    """Settings of the network with published weights, for people."""
    shown: list[tuple[str, object]] = [
        ("network", METHODS[s.method]),
        ("tokens read of a text", s.tokens),
    ]
    return shown if s.method == HEAD else [*shown, ("learning rate", s.lr), ("epochs", s.epochs)]


def judge_figures(report: Report, p: TextProblem, f: Findings) -> None:
    """Add confusion and calibration or residuals, telling words, and the most confident mistakes."""
    sections.judge_figures(report, p, f, label=p.target)
    if p.classes:
        with report.attempt("the mistakes"):
            mistakes_table(report, p, f)
    if isinstance(f.models.get(WORDS), WordModel):
        with report.attempt("the telling words"):
            words_figure(report, p, f.models[WORDS])


def words_figure(report: Report, p: TextProblem, model: WordModel) -> None:
    """Add the words and pairs with the largest weights: of two classes for the second against the first."""
    if p.classes > 2:
        for k in np.argsort(-np.bincount(p.y[p.train], minlength=p.classes))[:3].tolist():
            top = np.argsort(-model.weight[k])[:TOLD].tolist()
            weights = {model.terms[t]: float(model.weight[k, t]) for t in top}
            report.figure(
                f"words-{k + 1}",
                importance_bars(weights, label=f"weight for {p.labels[k]!r}"),
                caption=f"Words that speak most for {p.labels[k]!r}, by {WORDS}.",
            )
        return
    weight = model.weight[-1]
    for sign, name in ((1.0, "more"), (-1.0, "less")):
        top = np.argsort(-sign * weight)[:TOLD].tolist()
        weights = {model.terms[t]: float(sign * weight[t]) for t in top if sign * weight[t] > 0}
        if weights:
            meant = repr(p.labels[int(sign > 0)]) if p.classes else f"{name} of {p.target!r}"
            report.figure(
                f"words-{name}",
                importance_bars(weights, label=f"weight for {meant}"),
                caption=f"Words and pairs of words that speak most for {meant}, by {WORDS}.",
            )


def mistakes_table(report: Report, p: TextProblem, f: Findings) -> None:
    """Add the mistakes on the test texts that the recommended model was surest of."""
    output, y = f.output, p.y[p.test]
    rows = [
        [
            " ".join(p.texts[p.test[k]].split())[:EXCERPT],
            p.labels[y[k]],
            p.labels[int(output[k].argmax())],
            float(output[k].max()),
        ]
        for k in sections.surest_mistakes(output, y, 6)
    ]
    if rows:
        report.table(
            "Most confident mistakes on the test texts",
            columns=["text begins", p.target, "said", "probability"],
            rows=rows,
        )


def usage(p: TextProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    gives = "labels" if p.classes else "values"
    return sections.frame_usage(f, "new.csv", f"with {p.source}", gives=gives, has_classes=bool(p.classes))  # fmt: skip
