"""What the report says of anomalies: the data, the scores, what is found, the alarms, and why."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from gradatim.fitting.anomalies.detectors import Scoring
from gradatim.fitting.anomalies.made_up import LABELLED, Judging
from gradatim.fitting.anomalies.model import ALARM, BECAUSE, SCORE, free, told, told_of_steps
from gradatim.fitting.anomalies.networks import RECURRENT, AutoencoderSettings
from gradatim.fitting.anomalies.problem import AnomalyProblem
from gradatim.fitting.anomalies.readers import Reader, TableReader, WindowReader
from gradatim.fitting.anomalies.series_problem import SeriesAnomalies
from gradatim.fitting.anomalies.table_problem import TableAnomalies
from gradatim.fitting.classes import source_rows
from gradatim.fitting.findings import Findings
from gradatim.fitting.sections import frame_usage
from gradatim.plots.anomalies import alarm_shares, flagged_series, score_histogram
from gradatim.reports import Report
from gradatim.wording import percent

STRONGEST = 10  # alarms that are listed
DRAWN = 3  # channels
LONGEST = 2_000  # steps in a picture
FIGURES = (
    "The share missed is that of anomalies below the threshold, averaged over thresholds that let up to ten times the alarms "
    "asked for pass, at least 10 %. Found is the share of anomalies above the threshold that was set, false alarms that of normal "
    "data above it."
)
SHARES = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)


def describe_data(report: Report, p: AnomalyProblem) -> None:
    """Add sizes, alarms, columns or windows, and where anomalies come from."""
    odd = len(p.odd_train) + len(p.odd_test)
    rows = [
        [f"training {p.things}", f"{len(p.train):,}, all normal"],
        [f"test {p.things}", f"{len(p.test):,}, " + ("the latest of every series" if isinstance(p, SeriesAnomalies) else "drawn at random")],
        ["alarms", f"{percent(p.alarms, digits=3)} of normal {p.things}"],
        ["anomalies", f"{odd:,} labelled in {p.target!r}, which judge and never train" if p.target else "none labelled; some are made up to judge by"],
    ]  # fmt: skip
    if isinstance(p, SeriesAnomalies):
        rows += [
            ["series", f"{len(p.steps.names) or 1:,}"],
            ["channels", ", ".join(p.layout.channels)],
            ["window", f"{p.window} steps"],
        ]
    if isinstance(p, TableAnomalies):
        kinds = [column.kind for column in p.columns]
        rows += [[f"{kind} columns", str(kinds.count(kind))] for kind in dict.fromkeys(kinds)]
    report.table("Data", columns=["", "value"], rows=rows)


def describe_network(s: AutoencoderSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    forms = {RECURRENT: "recurrent autoencoder (GRU)"}
    return [
        ("form", forms.get(s.form, "dense autoencoder")),
        ("hidden units", s.hidden_dim),
        ("code, as a share of the features", s.code),
        ("dropout", s.dropout),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
    ]


def explain(report: Report, p: AnomalyProblem, f: Findings, reader: Reader, judging: Judging, held: Mapping[str, np.ndarray]) -> None:  # fmt: skip
    """Add what the recommended detector does on the test part.

    Args:
        report: Where to draw.
        p: The problem.
        f: What the contest found; outputs are scores of normal rows, then of anomalies.
        reader: What turned rows into features for the test.
        judging: What judged.
        held: Scores of the rows that set the thresholds, by model.
    """
    name = f.verdict.recommended
    report.text(FIGURES)
    with report.attempt("the kinds of anomalies"):
        _kinds(report, f, judging)
    with report.attempt("the scores"):
        report.figure(
            "scores",
            score_histogram(f.output[: judging.normal], f.output[judging.normal :], odd_name=_odd(judging)),
            caption=f"Scores of {name} on the test part, in units of the threshold: above 1 is an alarm. {_how(judging)}",
        )  # fmt: skip
    with report.attempt("the share of alarms"):
        _alarm_shares(report, p, f, judging, held)
    frame = _test_alarms(p, reader, f.models[name])
    with report.attempt("the strangest rows"):
        _strongest(report, p, frame)
    if isinstance(p, SeriesAnomalies):
        with report.attempt("the series"):
            _series(report, p, frame)


def _odd(judging: Judging) -> str:
    return "labelled anomalies" if LABELLED in judging.kinds else "made-up anomalies"


def _how(judging: Judging) -> str:
    if LABELLED in judging.kinds:
        return "The anomalies are labelled ones; no model learned from them."
    return "The anomalies are made up from the same normal data: they say which model sees more, not what real ones look like."


def _kinds(report: Report, f: Findings, judging: Judging) -> None:
    """Add which share of every kind of anomaly each finalist finds."""
    kinds = list(dict.fromkeys(judging.kinds.tolist()))
    if kinds == [LABELLED]:
        return
    rows = []
    for name, output in f.outputs.items():
        found = output[judging.normal :].reshape(-1, judging.size).max(1) > 1.0
        rows.append([name, *(float(found[judging.kinds == kind].mean()) for kind in kinds)])
    report.table("Share found of made-up anomalies, by kind", columns=["model", *kinds], rows=rows)
    report.text(
        "These anomalies are made up from held-out normal data, for want of labelled ones. A model that finds more of them "
        "sees more; whether it finds what goes wrong in your case, only real anomalies can say."
    )


def _alarm_shares(report: Report, p: AnomalyProblem, f: Findings, judging: Judging, held: Mapping[str, np.ndarray]) -> None:  # fmt: skip
    name = f.verdict.recommended
    own, new = np.sort(held[name]), f.output[: judging.normal]
    asked = sorted({share for share in (*SHARES, p.alarms) if share >= 1.0 / (len(own) + 1)})
    thresholds = [own[int(np.ceil((len(own) + 1) * (1 - a) - 1e-9)) - 1] for a in asked]
    raised = [float((new > t).mean()) for t in thresholds]
    report.figure(
        "alarms",
        alarm_shares(asked, raised, len(new), marked=p.alarms),
        caption=f"Alarms of {name} among normal test {p.things}: the share asked for and the share raised. The band holds "
        f"95 % of what chance gives {len(new):,} independent {p.things}.",
    )  # fmt: skip


def _test_alarms(p: AnomalyProblem, reader: Reader, detector: Scoring) -> pd.DataFrame:
    """Scores, alarms and reasons of the test rows, labelled anomalies among them, in their order."""
    rows = np.sort(np.concatenate([p.test, p.odd_test]))
    frame = _places(p, rows)
    if isinstance(reader, WindowReader) and isinstance(p, SeriesAnomalies):
        found = told_of_steps(detector, reader, p.steps, rows)
    else:
        assert isinstance(reader, TableReader)
        found = told(detector, reader, p.features(reader, rows))
    return frame.assign(**found, labelled=np.isin(rows, p.odd_test), step=rows)


def _places(p: AnomalyProblem, rows: np.ndarray) -> pd.DataFrame:
    """Where rows came from."""
    if isinstance(p, SeriesAnomalies):
        columns: dict[str, object] = {free(p.layout.time): [p.steps.stamps[k] for k in rows.tolist()]}  # fmt: skip
        if p.layout.group is not None:
            columns[free(p.layout.group)] = np.array(p.steps.names)[p.steps.series[rows]]
        return pd.DataFrame(columns)
    assert isinstance(p, TableAnomalies)
    return pd.DataFrame(dict([source_rows(p.places[rows])]))


def _strongest(report: Report, p: AnomalyProblem, frame: pd.DataFrame) -> None:
    alarms = frame[frame[ALARM]].sort_values(SCORE, ascending=False, kind="stable")[:STRONGEST]
    where = [name for name in frame.columns if name not in (SCORE, ALARM, BECAUSE, "labelled", "step")]  # fmt: skip
    if not len(alarms):
        report.text(f"No test {p.things[:-1]} raised an alarm.")
        return
    shown = [*where, SCORE, BECAUSE, *(["labelled"] if p.target else [])]
    rows = [[_plain(row[name]) for name in shown] for _, row in alarms.iterrows()]
    report.table(f"Strongest alarms of the test {p.things}", columns=shown, rows=rows)


def _plain(value: object) -> "str | float":
    if isinstance(value, float | np.floating):
        return float(value)
    return ("anomaly" if value else "normal") if isinstance(value, bool | np.bool_) else str(value)


def _series(report: Report, p: SeriesAnomalies, frame: pd.DataFrame) -> None:
    """Draw the series of the test with the most alarms."""
    steps = frame["step"].to_numpy()
    series = p.steps.series[steps]
    counts = np.bincount(series, weights=frame[ALARM], minlength=series.max() + 1)
    chosen = int(counts.argmax()) if counts.any() else int(np.bincount(series).argmax())
    own = np.flatnonzero(series == chosen)[-LONGEST:]
    first, last = int(steps[own].min()), int(steps[own].max())
    shown = np.arange(first, last + 1)
    score = np.full(len(shown), np.nan)
    score[steps[own] - first] = frame[SCORE].to_numpy()[own]
    channels = _to_draw(p, frame.iloc[own])
    report.figure(
        "series",
        flagged_series(
            {p.layout.channels[c]: p.steps.values[shown, c] for c in channels},
            score,
            labelled=p.is_odd[shown] if p.target else None,
        ),
        caption=f"The test part{f' of {p.steps.names[chosen]}' if p.steps.names else ''}: steps with an alarm are marked; below, "
        "the score, with the threshold at 1." + (" Labelled anomalies are shaded." if p.target else ""),
    )  # fmt: skip


def _to_draw(p: SeriesAnomalies, frame: pd.DataFrame) -> list[int]:
    """The channels that alarms name most, then the others, in their order."""
    named = [sum(f"{name} at " in because for because in frame[BECAUSE]) for name in p.layout.channels]  # fmt: skip
    return sorted(np.argsort(-np.array(named), kind="stable")[:DRAWN].tolist())


def test_frame(p: AnomalyProblem, judging: Judging, output: np.ndarray) -> pd.DataFrame:
    """Scores and alarms of the normal rows of the test."""
    scores = output[: judging.normal]
    return _places(p, judging.rows).assign(**{SCORE: scores, ALARM: scores > 1.0})


def usage(p: AnomalyProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    holds = "the series, in the same columns" if isinstance(p, SeriesAnomalies) else "columns are found by name"  # fmt: skip
    return frame_usage(f, "new.csv", holds, gives="scores, alarms, and what made them")
