"""The report of a generator of rows: figures of all generators, rows side by side, near copies, margins and pairs."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gradatim.fitting.generative.figures import SAID, percent_with_ends, with_ends
from gradatim.fitting.generative.medium import Outcome
from gradatim.fitting.generative.rows.judging import RowFigures
from gradatim.fitting.player import NETWORK
from gradatim.generative import nearest_rows, pair_similarity
from gradatim.plots.bars import comparison_bars
from gradatim.plots.tables import marginal_panels, pair_maps
from gradatim.reports import Report

if TYPE_CHECKING:
    from gradatim.fitting.generative.rows.medium import RowMedium

MOST_COLUMNS = 8  # of rows that are shown
DRAWN = 12  # columns whose distributions are drawn
MAPPED = 30  # columns whose pairs are
SIDE_BY_SIDE = 6  # rows
CLOSEST = 5


def plain_figures(own: RowFigures) -> dict[str, Any]:
    """Figures as plain data.

    Args:
        own: Of a generator.
    """
    return {
        "two-sample AUC": list(own.test.auc),
        "column similarity": list(own.columns),
        "pair similarity": list(own.pairs),
        "copying": None if own.copying is None else list(own.copying),
        "repeats": None if own.repeats is None else own.repeats.total,
        "teaching": None if own.teaching is None else list(own.teaching.generated),
        "teaching loss": None if own.teaching is None else list(own.teaching.loss),
    }


def describe_data(report: Report, medium: "RowMedium") -> None:
    """Add rows and columns.

    Args:
        report: Where to write.
        medium: The table.
    """
    kinds = [own.column.kind for own in medium.form.learned]
    told = "none" if medium.classes is None else f"{len(medium.classes.levels)} classes of {medium.classes.column!r}"  # fmt: skip
    report.table(
        "Data",
        columns=["", "value"],
        rows=[
            ["training rows", f"{len(medium.train):,}"],
            ["validation rows, which choose the network", f"{len(medium.validation):,}"],
            ["held-out rows, used once", f"{len(medium.held_out):,}"],
            ["columns learned", ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))],
            ["columns repeated", len(medium.form.repeated)],
            ["classes that may be asked for", told],
        ],
    )  # fmt: skip


def explain(report: Report, medium: "RowMedium", outcome: Outcome) -> None:
    """Add figures and samples of all generators.

    Args:
        report: Where to write.
        medium: The table, judged.
        outcome: What the course found.
    """
    _figures(report, medium, outcome)
    with report.attempt("the figure of the test"):
        aucs = {name: own.test.auc for name, own in medium.figures.items()}
        report.figure(
            "two-sample",
            comparison_bars(
                {name: auc.value for name, auc in aucs.items()},
                label="two-sample AUC (0.5: as good as real rows)",
                intervals={name: (auc.low, auc.high) for name, auc in aucs.items()},
                highlight=outcome.verdict.recommended,
            ),
            caption="How surely gradient-boosted trees tell rows from held-out ones that they have not seen.",
        )
    shown = [name for name in ("Gaussian copula", NETWORK) if name in medium.made]
    with report.attempt("rows side by side"):
        _side_by_side(report, medium, shown)
    with report.attempt("the closest rows"):
        _closest(report, medium)
    tables = {"held-out rows": medium.held_out, **{name: medium.made[name] for name in shown}}
    with report.attempt("the margins"):
        names = _spread(list(medium.held_out.columns), DRAWN)
        report.figure(
            "margins",
            marginal_panels(
                tables,
                names,
                dates=[own.column.name for own in medium.form.learned if own.column.kind == "date"],
            ),
            caption="Distributions of columns.",
        )
    with report.attempt("the pairs"):
        names = _spread(list(medium.held_out.columns), MAPPED)
        if len(names) > 1:
            maps = {name: pair_similarity(medium.held_out[names], medium.made[name][names]) for name in shown}  # fmt: skip
            report.figure(
                "pairs",
                pair_maps(maps),
                caption="How far pairs of columns are from those of held-out rows; dark pairs are lost.",
            )


def _figures(report: Report, medium: "RowMedium", outcome: Outcome) -> None:
    """Add the table of the test."""
    target = next((own.teaching for own in medium.figures.values() if own.teaching), None)
    columns = ["generator", medium.metric, "columns alike", "pairs alike"]
    if target is not None:
        columns += [f"{target.metric} when trained on them", "lost against real rows"]
    rows = []
    for name, own in medium.figures.items():
        mark = " ←" if name == outcome.verdict.recommended else ""
        cells = [name + mark, *map(with_ends, (own.test.auc, own.columns, own.pairs))]
        if target is not None:
            taught = own.teaching
            cells += [None, None] if taught is None else [with_ends(taught.generated), with_ends(taught.loss)]  # fmt: skip
        rows.append([*cells, percent_with_ends(own.copying), None if own.repeats is None else own.repeats.unique])  # fmt: skip
    report.table(
        f"Test, {len(medium.held_out):,} held-out rows, used once, {SAID}",
        columns=[*columns, "nearer to a training row", "unique rows repeated"],
        rows=rows,
    )
    words = (
        "The two-sample AUC decides: how surely a classifier tells rows from held-out ones; 0.5 is as good as real rows. Columns "
        "and pairs are alike by the definitions of SDMetrics, at most 1. Of rows that copy nothing, 50 % are nearer to a training "
        "row than to any of as many held-out ones. Jittered training rows are what copying looks like, and never recommended."
    )
    if target is not None:
        words += f" Trees that learn to predict {medium.target!r} from real rows have {target.metric} {target.real.value:.3f} on held-out rows."  # fmt: skip
    report.text(words)


def _spread(names: list[str], most: int) -> list[str]:
    """So many names at most, evenly from the first to the last."""
    if len(names) <= most:
        return names
    return [names[k] for k in np.linspace(0, len(names) - 1, most).astype(int)]


def _side_by_side(report: Report, medium: "RowMedium", shown: list[str]) -> None:
    names = _spread(list(medium.form.order), MOST_COLUMNS)
    for title, table in {"Held-out rows": medium.held_out, **{name: medium.made[name] for name in shown}}.items():  # fmt: skip
        cells = medium.form.write(table.head(SIDE_BY_SIDE).reset_index(drop=True))[names]
        report.table(_capital(title) if title in shown else title, columns=names, rows=_plain(cells))  # fmt: skip


def _capital(name: str) -> str:
    return f"Rows of the {name}"


def _plain(cells: pd.DataFrame) -> list[list[object]]:
    return [[None if cell is None or cell != cell else str(cell) for cell in row] for row in cells.to_numpy(dtype=object)]  # fmt: skip


def _closest(report: Report, medium: "RowMedium") -> None:
    """Add the rows of the network that lie nearest to a training row, each with that row."""
    if NETWORK not in medium.made:
        return
    codec, made = medium.bench.codec, medium.made[NETWORK].head(1000)
    gaps, places = nearest_rows(codec.encode(made), codec.encode(medium.train.head(20_000)))
    order = gaps[:, 0].argsort(stable=True)[:CLOSEST].tolist()
    names = _spread(list(medium.form.names), MOST_COLUMNS - 1)
    rows = []
    for k in order:
        pair = pd.concat([made.iloc[[k]], medium.train.iloc[[int(places[k, 0])]]])
        cells = _plain(medium.form.write(pair.reset_index(drop=True))[names])
        rows += [["made", float(gaps[k, 0]), *cells[0]], ["training row", None, *cells[1]]]
    report.table(
        "The network's rows that lie nearest to a training row, with that row",
        columns=["", "distance", *names],
        rows=rows,
    )


def usage(medium: "RowMedium", outcome: Outcome) -> str:
    """Lines that use the model folder, from the shell and from Python.

    Args:
        medium: The table.
        outcome: What the course found.
    """
    classes = medium.classes
    asked = ""
    if classes is not None:
        level = next((own for own in classes.levels if own is not None), "")
        asked = (
            f"rows = model.sample(1000, where={{{classes.column!r}: {level!r}}})  # of one class\n"
        )
    return (
        f"# gradatim sample {outcome.folder} -n 1000 -o rows.csv\n"
        "import gradatim\n\n"
        f"model = gradatim.load_model({str(outcome.folder)!r})\n"
        "rows = model.sample(1000, seed=0)  # a data frame in the form of the table\n"
        f"{asked}"
        f"model.generators  # {', '.join(outcome.model.generators)}; which= takes one\n"
    )
