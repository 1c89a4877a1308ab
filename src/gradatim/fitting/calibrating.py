"""Every model of a contest learns how far it may be wrong, from what was said on the folds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gradatim.fitting.averaging import Average, candidate_on_fold
from gradatim.fitting.calibration import Calibration
from gradatim.fitting.comparison import Comparison
from gradatim.fitting.cross_conformal import (
    calibrate_classes,
    calibrate_values,
    learn_spread_again,
)
from gradatim.fitting.player import AVERAGE, Player
from gradatim.fitting.tuning import Tuning


class Held(NamedTuple):
    """What a model said of rows that it had not learned from.

    Args:
        rows: The rows.
        fold: The fold that each was judged in.
        said: Values, or probabilities of the true class.
    """

    rows: np.ndarray
    fold: np.ndarray
    said: np.ndarray


def hold_out(player: Player, name: str, comparison: Comparison, tuning: Tuning | None, average: Average | None) -> Held | None:  # fmt: skip
    """Gather what was said of the judging rows of all folds by settings and weights that are best on the other folds.

    Args:
        player: The data.
        name: A model.
        comparison: Results of the simple models.
        tuning: What the race of networks found.
        average: The average of the best.

    Returns:
        ``None`` where it is not known of every fold.
    """
    said = []
    for k in range(len(comparison.folds)):
        shares = {name: 1.0}
        if name == AVERAGE:
            shares = average.shares[k] if average is not None and average.shares else {}
        own = [player.told.get(candidate_on_fold(n, k, comparison, tuning), k) for n in shares]
        known = [numbers for numbers in own if numbers is not None]
        if not known or len(known) < len(own):
            return None
        said.append(np.tensordot(np.array(list(shares.values())), np.stack(known), 1))
    rows = [judge[player.kept_places(k)] for k, (_, judge) in enumerate(comparison.folds)]
    fold = np.repeat(np.arange(len(rows)), [len(own) for own in rows])
    return Held(np.concatenate(rows), fold, np.concatenate(said))


@dataclass(frozen=True)
class Calibrations:
    """How far models may be wrong, by name.

    Args:
        tested: As the models know it that met the test rows.
        held: What each said of rows that it had not learned from.
    """

    tested: Mapping[str, Calibration]
    held: Mapping[str, Held]

    def shipped(self, player: Player, *, is_done: bool) -> dict[str, Calibration]:
        """As the models know it that are written: their features may be others.

        Args:
            player: The data.
            is_done: Whether they have learned the test rows too.
        """
        p, found = player.problem, dict(self.tested)
        for name, own in self.tested.items():
            if own.spread is not None:
                rows, said = self.held[name].rows, self.held[name].said
                features = player.difficulty(rows, is_shipped=is_done)
                found[name] = learn_spread_again(own, p.y[rows], said, features, p.weight_of(rows))
        return found


def calibrate_models(
    player: Player,
    names: Iterable[str],
    recommended: str,
    comparison: Comparison,
    tuning: Tuning | None,
    average: Average | None,
) -> Calibrations:
    """Calibrate models; the recommended one may have widths that differ from row to row.

    Args:
        player: The data.
        names: Of models.
        recommended: One of them.
        comparison: Results of the simple models.
        tuning: What the race of networks found.
        average: The average of the best.
    """
    if not player.has_intervals:
        return Calibrations({}, {})
    found = {name: hold_out(player, name, comparison, tuning, average) for name in names}
    held = {name: own for name, own in found.items() if own is not None}
    return Calibrations({n: _calibrate(player, own, has_spread=n == recommended) for n, own in held.items()}, held)  # fmt: skip


def _calibrate(player: Player, held: Held, *, has_spread: bool) -> Calibration:
    p, rows = player.problem, held.rows
    weight = p.weight_of(rows)
    if p.classes:
        return calibrate_classes(held.said, weight)
    features = player.difficulty(rows) if has_spread else None
    has_shift = player.criterion is not None and player.criterion.level is not None
    return calibrate_values(p.y[rows], held.said, held.fold, features, weight, has_spread=has_spread, has_shift=has_shift)  # fmt: skip
