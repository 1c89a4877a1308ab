"""What the report says of intervals and sets: how often they hold on the test rows, how wide they are, and what is promised."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from gradatim.evaluation.conformal import effective_count
from gradatim.evaluation.shares import share_interval
from gradatim.fitting.calibration import Calibration
from gradatim.fitting.findings import Findings
from gradatim.fitting.player import Player
from gradatim.fitting.spread import FEATURES
from gradatim.reports import Report
from gradatim.reports.values import format_value
from gradatim.wording import numbered

ASKED = 0.9
LEVEL = 0.95  # of the interval of a share
LISTED = 12  # classes, those that are held least
FEWEST = 5  # rows of a group


class Part(NamedTuple):
    """Some test rows.

    Args:
        name: What they are called.
        rows: Their places.
        tried: Parts that it was chosen from for how often it is held; its interval allows for the choice.
    """

    name: str
    rows: np.ndarray
    tried: int = 1


class Held(NamedTuple):
    """What intervals or sets did on the test rows.

    Args:
        is_held: Whether they hold what is true, shape ``(N,)``.
        size: How wide they are, or how many classes they have.
        weight: How much each row counts; ``None`` where all count the same.
    """

    is_held: np.ndarray
    size: np.ndarray
    weight: np.ndarray | None

    def row(self, name: str, rows: np.ndarray, tried: int = 1) -> list[object]:
        """Name, rows, coverage with its interval, and mean size of some rows, for a table.

        Args:
            name: Of the rows.
            rows: Their places.
            tried: Parts that they were chosen from; all their intervals are right together as often as one would be.
        """
        weight = np.ones(len(rows)) if self.weight is None else self.weight[rows]
        count = effective_count(weight)
        hits = count * float(np.average(self.is_held[rows], weights=weight))
        share = share_interval(hits, count, 1 - (1 - LEVEL) / tried)
        ends = f"{100 * share.low:.1f} to {100 * share.high:.1f} %"
        return [name, len(rows), f"{100 * share.value:.1f} %", ends, float(np.average(self.size[rows], weights=weight))]  # fmt: skip


def try_intervals(
    player: Player,
    calibration: Calibration,
    output: np.ndarray,
    coverage: float,
    decision: np.ndarray | None = None,
) -> Held:
    """Let the intervals or sets of a model meet the test rows.

    Args:
        player: The data.
        calibration: How far the model may be wrong.
        output: What it says of the test rows.
        coverage: Share of rows that they shall hold.
        decision: How it says a class.
    """
    p = player.problem
    y, weight = p.y[p.test], p.weight_of(p.test)
    if p.classes:
        sets = calibration.sets(output, coverage, decision)
        return Held(sets[np.arange(len(y)), y], sets.sum(1).astype(float), weight)
    reads = calibration.spread is not None and calibration.spread.reads == FEATURES
    low, high = calibration.bounds(output, coverage, player.difficulty(p.test) if reads else None)
    return Held((low <= y) & (y <= high), high - low, weight)


def describe_intervals(report: Report, player: Player, f: Findings) -> None:
    """Add how often the intervals or sets of the recommended model hold on the test rows, and what is promised.

    Args:
        report: Where to write.
        player: The data.
        f: What the contest found.
    """
    own = f.calibrations.tested.get(f.verdict.recommended)
    if own is None:
        return
    p, coverage = player.problem, min(ASKED, np.floor(100 * own.most) / 100)
    if not coverage > 0:
        return
    held = try_intervals(player, own, f.output, coverage, f.decision)
    parts = list(_parts(player, f, held))
    rows = [held.row(*part) for part in parts]
    kind, size = ("Sets", "mean classes") if p.classes else ("Intervals", "mean width")
    report.table(
        f"{kind} that shall hold {100 * coverage:g} %, on the test {player.things}",
        columns=["", player.things, "held", "95 % interval", size],
        rows=rows,
    )
    report.text(" ".join(_sentences(player, own, has_chosen=any(part.tried > 1 for part in parts))))


def _parts(player: Player, f: Findings, held: Held) -> Iterator[Part]:
    """All test rows, and those of each class, third of the predictions, group, slice or time."""
    p, things = player.problem, player.things
    yield Part(f"all test {things}", np.arange(len(p.test)))
    y = p.y[p.test]
    if p.classes:
        shares = {k: held.is_held[y == k].mean() for k in range(p.classes) if (y == k).any()}
        least = sorted(shares, key=lambda k: shares[k])[:LISTED]
        yield from (Part(str(p.labels[k]), np.flatnonzero(y == k)) for k in sorted(least))
    elif len(y) >= 3 * FEWEST:
        order = np.argsort(f.output, kind="stable")
        names = ("low", "middle", "high")
        yield from (Part(f"{n} third of the predictions", np.sort(own)) for n, own in zip(names, np.array_split(order, 3), strict=True))  # fmt: skip
    groups = getattr(p, "groups", None)
    own = [] if groups is None else [("", np.flatnonzero(groups[p.test] == g)) for g in np.unique(groups[p.test])]  # fmt: skip
    yield from _ends("group", own, held, things)
    yield from _ends("slice", player.slices(), held, things)
    if getattr(p, "times", None) is not None:
        early, late = np.array_split(np.argsort(p.times[p.test], kind="stable"), 2)
        yield from (Part("earlier half of the test", early), Part("later half of the test", late))


def _ends(what: str, parts: Iterable[tuple[str, np.ndarray]], held: Held, things: str) -> Iterator[Part]:  # fmt: skip
    """The parts that are held least and most, of those with enough rows."""
    known = [(name, rows) for name, rows in parts if len(rows) >= FEWEST]
    if len(known) > 1:
        known.sort(key=lambda part: held.is_held[part[1]].mean())
        for word, (name, rows) in (("least", known[0]), ("most", known[-1])):
            words = f"{name}: the {what}" if name else f"the {what}"
            yield Part(f"{words} that is held {word}, of {len(known)} with at least {FEWEST} {things}", rows, len(known))  # fmt: skip


def _sentences(player: Player, own: Calibration, *, has_chosen: bool) -> Iterator[str]:
    """How the intervals were made, and what is promised."""
    p, things = player.problem, player.things
    yield (
        f"They come from {numbered(len(own.scores), things)} that were judged on folds by models which had not learned them; "
        "gradatim predict --interval makes them for any share."
    )
    if not p.classes and own.spread is None:
        yield "All are equally wide: widths that follow how hard a row is were not narrower on the folds."
    elif own.spread is not None:
        by = "columns of a row tell" if own.spread.reads == FEATURES else "the prediction tells"
        yield f"They are wider where {by} that a model errs more; on the folds that is narrower on the average than one width for all."  # fmt: skip
    if has_chosen:
        yield "Where the least or most of many is shown, its interval allows for the choice."
    if own.shift:
        yield f"A quantile is predicted, so intervals lie around the prediction plus {format_value(float(f'{own.shift:.3g}'))}, where half of the values lie below."  # fmt: skip
    yield from _promise(player)


def _promise(player: Player) -> Iterator[str]:
    p, things = player.problem, player.things
    if getattr(p, "times", None) is not None:
        yield f"Nothing is promised of {things} that come later: they may be drawn otherwise than those of the folds. What the latest {things} show stands above."  # fmt: skip
        return
    yield f"The share is promised on the average over new {things} that are drawn as these were, not for every class or kind of them."  # fmt: skip
    if getattr(p, "groups", None) is not None:
        yield f"The folds held whole groups out, so it is meant for {things} of new groups; those of one group are held or missed together."  # fmt: skip
    if p.weight is not None:
        yield f"The {things} count as they weigh."
