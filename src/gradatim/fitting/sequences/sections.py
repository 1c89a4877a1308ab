"""What the report says of series: how many and how long, which channels and times count, where attention lies, mistakes."""

import numpy as np
import torch

from gradatim.fitting import sections
from gradatim.fitting.clock import Clock
from gradatim.fitting.findings import Findings
from gradatim.fitting.player import NETWORK
from gradatim.fitting.sequences.importance import permutation_importance
from gradatim.fitting.sequences.networks import SequenceNetwork, SequenceSettings
from gradatim.fitting.sequences.problem import SequenceProblem
from gradatim.fitting.sequences.steps import Sequences
from gradatim.fitting.tables.preprocessing import Preprocessing
from gradatim.nn.training_modes import evaluation_mode
from gradatim.plots.importance import importance_bars
from gradatim.plots.series_panels import series_panels, window_bars
from gradatim.reports import Report

ARCHITECTURES = {
    "gru": "GRU",
    "bilstm": "LSTM in both directions",
    "tcn": "causal dilated convolutions (TCN)",
    "tcn+bilstm": "causal dilated convolutions (TCN), then an LSTM in both directions",
}
POOLINGS = {
    "attention": "a mean over time, weighted by attention",
    "last": "the state after the last step",
    "mean": "the mean over time",
    "max": "the largest values over time",
}
MISTAKES, LOOKED_AT = 6, 6
LATE = 1.05  # of the budget, after which nothing is drawn that can be done without
IMPORTANCE_BY = 0.95  # of the budget, when it must be measured


def describe_data(report: Report, p: SequenceProblem) -> None:
    """Add task, sizes, lengths, channels and the target."""
    low, middle, high = np.percentile(p.lengths[p.train], [5, 50, 95])
    moving = [c.name for c in p.columns[: len(p.columns) - p.num_static]]
    fixed = [c.name for c in p.columns[len(p.columns) - p.num_static :]]
    rows = [
        ["task", p.task],
        ["training series", f"{len(p.train):,}"],
        ["test series", f"{len(p.test):,}"],
        ["steps of a series", f"{middle:.0f} (5 % below {low:.0f}, 5 % above {high:.0f})"],
        ["channels", f"{len(moving)}: {_some(moving)}"],
        *([["never change within a series", _some(fixed)]] if fixed else []),
        *([["groups", f"{len(np.unique(p.groups)):,}, each on one side of every split"]] if p.groups is not None else []),
        sections.target_row(p),
    ]  # fmt: skip
    report.table("Data", columns=["", "value"], rows=rows)


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")


def describe_network(s: SequenceSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    layers: list[tuple[str, object]] = [] if s.architecture == "tcn" else [("recurrent layers", s.num_layers)]  # fmt: skip
    return [
        ("architecture", ARCHITECTURES[s.architecture]),
        ("answers from", POOLINGS[s.pooling]),
        ("width of a layer", s.hidden_dim),
        *layers,
        ("most steps read of a series", s.steps),
        ("dropout", s.dropout),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
    ]


def judge_figures(
    report: Report,
    p: SequenceProblem,
    f: Findings,
    series: Sequences,
    clock: Clock,
    preprocessing: Preprocessing,
) -> None:
    """Add confusion and calibration or residuals, mistakes, attention, and what channels and times count.

    Args:
        report: Where to draw.
        p: The problem.
        f: What the contest found.
        series: The test series as numbers.
        clock: The budget.
        preprocessing: What made the numbers.
    """
    sections.judge_figures(report, p, f, label=p.target)
    if not clock.has(0.0, by=LATE):
        p.notes.append("Mistakes, attention and importance are not drawn, to keep within the budget.")  # fmt: skip
        return
    with report.attempt("the mistakes"):
        _mistakes(report, p, f, series, preprocessing)
    network = f.models.get(NETWORK)
    if isinstance(network, SequenceNetwork) and network.settings["pooling"] == "attention":
        with report.attempt("the attention of the network"):
            _attention(report, p, network, series, preprocessing)
    with report.attempt("the importance of channels and times"):
        _importance(report, p, f, series, clock, preprocessing)


def _drawn(series: Sequences, rows: list[int], names: list[str]) -> tuple[list[np.ndarray], list[str]]:  # fmt: skip
    """What is drawn of series: the features that move; names of channels."""
    own = series.take(np.array(rows))
    values = own.values[:, : own.num_moving]
    return np.split(values, own.starts[1:]), names[: own.num_moving]


def _mistakes(report: Report, p: SequenceProblem, f: Findings, series: Sequences, preprocessing: Preprocessing) -> None:  # fmt: skip
    y, output, name = p.y[p.test], f.output, f.verdict.recommended
    if p.classes:
        worst = sections.surest_mistakes(output, y, MISTAKES)
        said = [f"{p.labels[int(output[k].argmax())]} ({output[k].max():.2f}),\nnot {p.labels[y[k]]}" for k in worst]  # fmt: skip
        caption = f"The mistakes on test series that {name} was surest of"
    else:
        worst = np.argsort(-np.abs(output - y), kind="stable")[:MISTAKES].tolist()
        said = [f"{output[k]:.4g},\nnot {y[k]:.4g}" for k in worst]
        caption = f"The test series that {name} missed by most"
    if not worst:
        return
    drawn, channels = _drawn(series, worst, preprocessing.names)
    titles = [f"{p.names[p.test[k]][:18]}: {words}" for k, words in zip(worst, said, strict=True)]
    report.figure("mistakes", series_panels(drawn, titles, channels=channels), caption=f"{caption}; channels are scaled.")  # fmt: skip


def attention_weights(network: SequenceNetwork, series: Sequences) -> list[np.ndarray]:
    """What every step of series counts for the network, as it reads them.

    Args:
        network: One that pools by attention.
        series: Any.
    """
    own = network.inputs(series)
    with evaluation_mode(network.module), torch.inference_mode():
        weights = network.module.attention(  # type: ignore[operator]
            torch.from_numpy(own.padded()), torch.from_numpy(own.lengths)
        ).numpy()
    return [row[:length] for row, length in zip(weights, own.lengths.tolist(), strict=True)]


def _attention(report: Report, p: SequenceProblem, network: SequenceNetwork, series: Sequences, preprocessing: Preprocessing) -> None:  # fmt: skip
    y = p.y[p.test]
    if p.classes:
        _, first = np.unique(y, return_index=True)
    else:
        first = np.argsort(y, kind="stable")[np.linspace(0, len(y) - 1, min(LOOKED_AT, len(y))).astype(int)]  # fmt: skip
    rows = first[:LOOKED_AT].tolist()
    drawn, channels = _drawn(network.inputs(series), rows, preprocessing.names)
    titles = [f"{p.labels[y[k]]}" if p.classes else f"{y[k]:.4g}" for k in rows]
    weights = attention_weights(network, series.take(np.array(rows)))
    report.figure(
        "attention",
        series_panels(drawn, titles, channels=channels, weights=weights),
        caption="Test series, scaled, and below each where the network's attention lies: the brighter, the more a step "
        "counts for its answer.",
    )


def channel_columns(p: SequenceProblem, preprocessing: Preprocessing) -> dict[str, np.ndarray]:
    """Features of every column, by its name.

    Args:
        p: The problem.
        preprocessing: What makes features.
    """
    found, start = {}, 0
    for encoder in preprocessing.encoders:
        width = len(encoder.names())
        found[encoder.column.name] = np.arange(start, start + width)
        start += width
    return found


def _importance(report: Report, p: SequenceProblem, f: Findings, series: Sequences, clock: Clock, preprocessing: Preprocessing) -> None:  # fmt: skip
    model, name = f.models[f.verdict.recommended], f.verdict.recommended
    channels = channel_columns(p, preprocessing)
    found, parts = permutation_importance(
        model.outputs, series, p.y[p.test], p.classes, channels, is_over=clock.over_at(IMPORTANCE_BY)
    )  # fmt: skip
    if len(found) < len(channels):
        p.notes.append(f"Importance was measured for {len(found):,} of {len(channels):,} channels, to keep within the budget.")  # fmt: skip
    measure = "log loss" if p.classes else "RMSE"
    if len(found) > 1:
        report.figure(
            "importance",
            importance_bars(found, label=f"increase of the {measure}"),
            caption=f"How much worse {name} gets on test series when a channel comes from another series.",
        )
    if parts:
        report.figure(
            "windows",
            window_bars(parts, label=f"increase of the {measure}"),
            caption=f"How much worse {name} gets when a tenth of the steps comes from another series, by its place.",
        )


def usage(p: SequenceProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    lines = [
        "import gradatim\n",
        f"model = gradatim.load_model({str(f.folder)!r})",
        'model.predict("new.csv")                # a file or folder like that of training, a row for each series',
        f"model.predict(series)                   # arrays (T, {len(p.columns)}) in a list",
        *(["model.predict_proba(series)             # probabilities"] if p.classes else []),
        *(['model.predict(series, model="network")  # the network instead'] if f.tuning else []),
    ]
    return "\n".join(lines) + "\n"
