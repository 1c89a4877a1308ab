"""What a careful reader would worry about where anomalies are looked for."""

import numpy as np
from scipy.stats import binom

from gradatim.fitting.anomalies.made_up import LABELLED, Judging
from gradatim.fitting.anomalies.problem import AnomalyProblem
from gradatim.fitting.anomalies.series_problem import SeriesAnomalies
from gradatim.fitting.classes import ANOTHER_SPLIT
from gradatim.reports import Concern
from gradatim.wording import percent

FEW_ROWS = 200
FEW_ANOMALIES = 10
RARE = 0.001  # chance of so many alarms, below which data have changed


def find_concerns(p: AnomalyProblem, judging: Judging) -> list[Concern]:
    """Anomalies that are made up or few, little data, steps that are alike."""
    found = []
    if LABELLED not in judging.kinds:
        kinds = ", ".join(dict.fromkeys(judging.kinds.tolist()))
        where = "no anomalies are labelled" if p.target is None else "no labelled anomaly is in the test part"  # fmt: skip
        seen = f"{where}: those that judge are made up from held-out {p.things} ({kinds}), and real ones may look otherwise"
        found.append(Concern("Made-up anomalies", seen, "Mark some real ones in a column and name it with --target"))  # fmt: skip
    elif len(judging.kinds) < FEW_ANOMALIES:
        few = f"{len(judging.kinds)} labelled anomalies in the test part"
        found.append(Concern("Little to judge by", few, "Another split may give another winner"))
    if len(p.train) < FEW_ROWS:
        found.append(Concern("Little data", f"{len(p.train)} normal training {p.things}", ANOTHER_SPLIT))  # fmt: skip
    if isinstance(p, SeriesAnomalies):
        seen = "neighbouring steps are alike, so that alarms come in clusters: the share of alarms holds over long stretches, while the machine stays as it was"
        found.append(Concern("Dependent steps", seen))
    return found


def find_drift(p: AnomalyProblem, scores: np.ndarray) -> list[Concern]:
    """Say, if so, that normal test rows raise more alarms than chance would.

    Args:
        p: The problem.
        scores: Of normal test rows.
    """
    count, alarms = len(scores), int((scores > 1.0).sum())
    independent = p.window if isinstance(p, SeriesAnomalies) else 1  # steps that count as one
    chance = float(binom.sf(alarms / independent - 1, max(count // independent, 1), p.alarms))
    if alarms <= p.alarms * count or chance >= RARE:
        return []
    seen = f"{percent(alarms / count)} of the normal test {p.things} raise an alarm, where {percent(p.alarms)} were asked for"
    return [Concern("Drift", seen, "The data have changed since; learn from newer ones")]
