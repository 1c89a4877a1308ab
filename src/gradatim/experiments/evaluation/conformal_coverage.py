"""Intervals from errors on held-out folds hold as often as they say; those from errors in training do not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from gradatim.data.entries import require_cached
from gradatim.evaluation import conformal_radius
from gradatim.evaluation.racing import Result
from gradatim.fitting.calibrating import calibrate_models
from gradatim.fitting.comparison import Comparison
from gradatim.fitting.coverage import Held, try_intervals
from gradatim.fitting.player import Candidate
from gradatim.fitting.tables.candidates import DISCRIMINANT, RIDGE, TREES
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.player import TablePlayer, read_player
from gradatim.fitting.tables.predictors import predict
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("D12",)
KEYWORDS = "prediction intervals, prediction sets, conformal prediction, coverage, uncertainty"
ISLP = ("islp-auto", "islp-boston", "islp-college", "islp-hitters")
GROWING = "growing noise"
COVERAGE = 0.9


@dataclass(frozen=True)
class Settings:
    """Tables of values and of classes, and how often each is split into training and test rows."""

    seed: int = 0
    splits: int = 20
    values: tuple[str, ...] = ("diabetes", GROWING, *ISLP)
    classes: tuple[str, ...] = ("iris", "wine", "breast-cancer", "digits", "moons")
    naive: int = 5
    rows: int = 1000


QUICK = Settings(splits=4, values=("diabetes", "growing noise"), classes=("iris", "moons"), naive=2, rows=400)  # fmt: skip


class Split(NamedTuple):
    """What intervals did on the test rows of a split.

    Args:
        held: With widths that may differ.
        plain: With one width for all.
        spread: How far the model errs on each test row, as far as was learned; ``None`` where it was not narrower.
    """

    held: Held
    plain: Held
    spread: np.ndarray | None


def growing_noise(rows: int, seed: int) -> pd.DataFrame:
    """A wave with noise that grows from 0.1 to 1.3 along x, and a column that says nothing."""
    draw = np.random.default_rng([seed, 7])
    x, z = draw.random((2, rows))
    return pd.DataFrame({"x": x, "z": z, "y": np.sin(3 * x) + (0.1 + 1.2 * x) * draw.normal(size=rows)})  # fmt: skip


def read(name: str, settings: Settings, split: int) -> TablePlayer:
    """A table as ``fit`` reads it, with a third of the rows for the test and folds of the others."""
    seed = 1000 * settings.seed + split
    if name == GROWING:
        job = TableOptions(target="y", test=1 / 3, seed=seed)
        return read_player(growing_noise(settings.rows, seed), job)
    return read_player(name, TableOptions(test=1 / 3, seed=seed))


def judge(player: TablePlayer, model: str) -> Comparison:
    """Let a model be judged on the folds, as in a contest; what it says is kept."""
    folds = range(len(player.folds))
    return Comparison(player.folds, {model: [Result(player.judge(Candidate(model), k), 0.0) for k in folds]}, [])  # fmt: skip


def try_split(player: TablePlayer, model: str) -> Split:
    """Intervals or sets of a model from its folds, on the test rows."""
    comparison = judge(player, model)
    output = player.outputs(player.fit(Candidate(model), None), None)
    found = [
        calibrate_models(player, [model], recommended, comparison, None, None).tested[model]
        for recommended in (model, "")
    ]
    held, plain = (try_intervals(player, own, output, COVERAGE) for own in found)
    spread = found[0].spread
    learned = None if spread is None else spread(output, player.difficulty(player.problem.test))
    return Split(held, plain, learned)


def naive_coverage(player: TablePlayer, model: str) -> float:
    """Share of the test rows within the errors that a model makes on the rows it has learned."""
    fitted, p = player.fit(Candidate(model), None), player.problem
    seen = np.abs(p.y[p.train] - predict(fitted, player.features(None)[0]))
    error = np.abs(p.y[p.test] - player.outputs(fitted, None))
    return float(np.mean(error <= conformal_radius(seen, COVERAGE)))


def tilt(splits: Sequence[Split], *, is_plain: bool) -> float:
    """By how much more often rows are held in the easiest third than in the hardest, by the learned spread."""
    gaps = []
    for own in splits:
        if own.spread is not None:
            order = np.array_split(np.argsort(own.spread, kind="stable"), 3)
            is_held = (own.plain if is_plain else own.held).is_held
            gaps.append(is_held[order[0]].mean() - is_held[order[2]].mean())
    return float(np.mean(gaps)) if gaps else float("nan")


def chance(shares: Sequence[float]) -> float:
    """What chance may take from the mean of a few splits; of as many as are asked of ``fit`` nothing."""
    return (
        2 * float(np.std(shares, ddof=1)) / float(np.sqrt(len(shares))) if len(shares) < 20 else 0.0
    )


def claim_values(report: Report, found: dict[str, list[Split]], settings: Settings) -> None:
    rows = []
    for name, splits in found.items():
        shares = [float(own.held.is_held.mean()) for own in splits]
        widths = [float(own.held.size.mean() / own.plain.size.mean()) for own in splits]
        room = 0.02 + chance(shares)
        report.claim(f"{name}: intervals hold 90 %", float(np.mean(shares)), "mean coverage", near=(COVERAGE, room))  # fmt: skip
        report.claim(f"{name}: and are no wider than with one width for all", float(np.mean(widths)), "ratio of mean widths", at_most=1.0)  # fmt: skip
        chosen = sum(own.spread is not None for own in splits)
        rows.append([name, len(splits[0].held.size), float(np.mean(shares)), float(np.std(shares, ddof=1)), float(np.mean(widths)), f"{chosen} of {len(splits)}", tilt(splits, is_plain=True), tilt(splits, is_plain=False)])  # fmt: skip
    report.table(
        f"Intervals that shall hold 90 %, {settings.splits} splits, {RIDGE}",
        columns=["table", "test rows", "coverage", "deviation", "width, of plain", "widths differ", "easiest − hardest third, plain", "easiest − hardest third"],
        rows=rows,
    )  # fmt: skip
    every = [own for splits in found.values() for own in splits]
    plain, own = tilt(every, is_plain=True), tilt(every, is_plain=False)
    report.claim("one width for all holds easy rows more often than hard ones", plain, "easiest − hardest third", above=0.04)  # fmt: skip
    report.claim("widths that follow difficulty hold them more alike", abs(own), "at most two thirds of that:", at_most=plain / 1.5)  # fmt: skip


def claim_classes(report: Report, found: dict[str, list[Split]], settings: Settings) -> None:
    rows = []
    for name, splits in found.items():
        shares = [float(own.held.is_held.mean()) for own in splits]
        share = float(np.mean(shares))
        sizes = np.concatenate([own.held.size for own in splits])
        report.claim(
            f"{name}: sets hold the class", share, "mean coverage", at_least=0.88 - chance(shares)
        )
        report.claim(f"{name}: no set is empty", float(sizes.min()), "classes", at_least=1)
        rows.append([name, share, float(sizes.mean()), float(np.mean(sizes == 1))])
    report.table(
        f"Sets that shall hold 90 %, {settings.splits} splits, {DISCRIMINANT}",
        columns=["table", "coverage", "mean classes", "share with one class"],
        rows=rows,
    )


def run(settings: Settings) -> Report:
    """Measure coverage and width."""
    needed = [name for name in settings.values if name in ISLP]
    require_cached("conformal-coverage", *needed)
    splits = range(settings.splits)
    values = {n: [try_split(read(n, settings, s), RIDGE) for s in splits] for n in settings.values}
    classes = {n: [try_split(read(n, settings, s), DISCRIMINANT) for s in splits] for n in settings.classes}  # fmt: skip
    report = Report(
        title="Conformal coverage",
        summary="What a model says of rows that it had not learned tells how far it errs on new ones, whatever the model and the "
        "noise: intervals of 90 % hold 90 %. Widths that follow how hard a row is hold easy and hard rows alike, and are "
        "narrower on the average.",
    )
    claim_values(report, values, settings)
    claim_classes(report, classes, settings)
    naive = {}
    for model in (RIDGE, TREES):
        players = [read("diabetes", settings, s) for s in range(settings.naive)]
        naive[model] = [naive_coverage(player, model) for player in players]
    players = [read("diabetes", settings, s) for s in range(settings.naive)]
    honest = [float(try_split(player, TREES).plain.is_held.mean()) for player in players]
    report.claim(f"errors of {TREES} on the rows they have learned promise too much", float(np.mean(naive[TREES])), "coverage", at_most=0.8)  # fmt: skip
    report.claim("the same trees, from folds", float(np.mean(honest)), "coverage", at_least=0.86)
    report.table(
        "Intervals that shall hold 90 % of diabetes, from errors on the rows that were learned",
        columns=["model", "coverage"],
        rows=[[model, float(np.mean(shares))] for model, shares in naive.items()],
    )
    caption = "Left: coverage of every split (dots) and its mean (line) beside the share asked for; naive intervals come from the errors of boosted trees on the rows they have learned. Right: how often the easiest and the hardest third of the test rows are held, by one width for all and by widths that follow difficulty."  # fmt: skip
    report.figure("coverage", draw_figure(values, classes, naive[TREES]), caption=caption)
    return report


def draw_figure(values: dict[str, list[Split]], classes: dict[str, list[Split]], naive: Sequence[float]) -> Figure:  # fmt: skip
    figure, (left, right) = new_figure(columns=2, width=11.0, height=4.8)
    shares = {n: [float(own.held.is_held.mean()) for own in splits] for n, splits in {**values, **classes}.items()}  # fmt: skip
    shares["diabetes, naive"] = list(naive)
    draw = np.random.default_rng(0)
    places = np.arange(len(shares))[::-1]
    for place, (name, own) in zip(places, shares.items(), strict=True):
        color = PALETTE[0] if name in values else PALETTE[2] if name in classes else PALETTE[1]
        left.plot(own, place + draw.uniform(-0.2, 0.2, len(own)), "o", color=color, alpha=0.4, mew=0, markersize=5)  # fmt: skip
        left.plot([np.mean(own)] * 2, [place - 0.35, place + 0.35], color=color, linewidth=2.2)
    left.axvline(COVERAGE, color=INK, linestyle="--", linewidth=1.1)
    left.set_yticks(places, [name.removeprefix("islp-") for name in shares])
    left.set(xlabel="share of the test rows that are held", title="Intervals (blue), sets (green), naive (red)")  # fmt: skip
    known = [name for name, splits in values.items() if any(own.spread is not None for own in splits)]  # fmt: skip
    places = np.arange(len(known))[::-1]
    for is_plain, color, up, words in ((True, MUTED, 0.14, "one width for all"), (False, PALETTE[0], -0.14, "widths follow difficulty")):  # fmt: skip
        for place, name in zip(places, known, strict=True):
            ends = [third_coverage(values[name], third, is_plain=is_plain) for third in (0, 2)]
            right.plot(ends, [place + up] * 2, color=color, linewidth=1.6, label=words if place == 0 else "_")  # fmt: skip
            right.plot(ends[0], place + up, "o", color=color, markersize=6)
            right.plot(ends[1], place + up, "s", color=color, markersize=6)
    right.axvline(COVERAGE, color=INK, linestyle="--", linewidth=1.1)
    right.set_yticks(places, [name.removeprefix("islp-") for name in known])
    right.set_ylim(-0.9, len(known) - 0.4)
    right.set(xlabel="share that is held", title="Easiest (●) and hardest (■) third")
    right.legend(loc="lower left", ncols=2)
    return figure


def third_coverage(splits: Sequence[Split], third: int, *, is_plain: bool) -> float:
    """How often rows of a third are held, by the learned spread."""
    shares = []
    for own in splits:
        if own.spread is not None:
            rows = np.array_split(np.argsort(own.spread, kind="stable"), 3)[third]
            shares.append((own.plain if is_plain else own.held).is_held[rows].mean())
    return float(np.mean(shares))
