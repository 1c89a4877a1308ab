"""How good answers are, side by side: one error per row, normalized scores, and who is behind for what reason."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gradatim.evaluation.intervals import corrected_interval

BEHIND = 0.05  # of the best error
FLOOR = 1e-6  # a probability below counts as this
OURS, CONSTANT = "gradatim", "constant"


class Answer(NamedTuple):
    """What a learner answered on one table.

    Args:
        errors: One per test row: squared gaps, or negative logarithms of the right class's probability.
        seconds: How long it took.
        note: What it says of itself.
    """

    errors: np.ndarray
    seconds: float
    note: str = ""

    def error(self, task: str) -> float:
        """Root mean square, or mean logarithm."""
        mean = float(self.errors.mean())
        return mean**0.5 if task == "values" else mean


def row_errors(predictions: Path, target: pd.Series, task: str) -> np.ndarray:
    """Errors of the rows of a file of predictions, theirs or ours."""
    table = pd.read_csv(predictions)
    if task == "values":
        return (table["prediction"].to_numpy(float) - target.to_numpy(float)) ** 2
    table.columns = [str(name).removeprefix("probability ") for name in table.columns]
    places = {name: k for k, name in enumerate(table.columns)}
    values, labels = table.to_numpy(), target.astype(str)
    right = [float(values[i, places[label]]) if label in places else 0.0 for i, label in enumerate(labels)]  # fmt: skip
    return -np.log(np.clip(right, FLOOR, 1.0))


def normalized(answers: Mapping[str, Answer], task: str) -> dict[str, float]:
    """Scores between those of the constant, 0, and of the best, 1; one worse than the constant is below 0.

    Example:
        >>> errors = {"constant": 4.0, "a": 1.0, "b": 2.0}
        >>> normalized({n: Answer(np.array([e]), 0.0) for n, e in errors.items()}, "classes")
        {'constant': 0.0, 'a': 1.0, 'b': 0.6666666666666666}
    """
    errors = {name: own.error(task) for name, own in answers.items()}
    worst, best = errors[CONSTANT], min(errors.values())
    return {name: (worst - own) / (worst - best) if worst > best else 0.0 for name, own in errors.items()}  # fmt: skip


def why_behind(answers: Mapping[str, Answer], task: str) -> str | None:
    """Why ours is more than 5 % behind the best, in a sentence; ``None`` where it is not."""
    errors = {name: own.error(task) for name, own in answers.items()}
    best = min(errors, key=lambda name: errors[name])
    share = errors[OURS] / errors[best] - 1 if errors[best] > 0 else float(errors[OURS] > 0)
    if share <= BEHIND:
        return None
    gaps = answers[OURS].errors - answers[best].errors
    interval = corrected_interval(gaps, 0.0)
    chance = "within the noise of" if interval.low <= 0 else "beyond the noise of"
    return (
        f"{100 * share:.0f} % behind {best}, {chance} {len(gaps):,} test rows (difference of mean errors {interval.mean:.3g}, "
        f"95 % interval {interval.low:.3g} to {interval.high:.3g}). Ours: {answers[OURS].note or 'no note'}"
    )


def summary(results: Mapping[str, tuple[str, Mapping[str, Answer]]]) -> dict[str, Any]:
    """Normalized scores by table and learner, their means, and the tables on which ours is behind."""
    scores = {name: normalized(answers, task) for name, (task, answers) in results.items()}
    tools = list(dict.fromkeys(tool for own in scores.values() for tool in own))
    shared = [own for own in scores.values() if all(tool in own for tool in tools)]
    behind = {name: why_behind(answers, task) for name, (task, answers) in results.items()}
    return {
        "scores": scores,
        "errors": {n: {t: a.error(task) for t, a in own.items()} for n, (task, own) in results.items()},
        "seconds": {n: {t: round(a.seconds, 1) for t, a in own.items()} for n, (_, own) in results.items()},
        "means": {tool: float(np.mean([own[tool] for own in shared])) for tool in tools} if shared else {},
        "behind": {name: reason for name, reason in behind.items() if reason is not None},
    }  # fmt: skip


def describe(found: Mapping[str, Any]) -> str:
    """The summary as text."""
    tools = list(dict.fromkeys(tool for own in found["scores"].values() for tool in own))
    lines = [f"{'table':14}" + "".join(f"{tool:>12}" for tool in tools)]
    for name, own in found["scores"].items():
        lines.append(f"{name:14}" + "".join(f"{own[t]:12.3f}" if t in own else f"{'-':>12}" for t in tools))  # fmt: skip
    if found["means"]:
        lines.append(f"{'mean':14}" + "".join(f"{found['means'][t]:12.3f}" for t in tools))
    lines += ["", "1 is the best of a table, 0 the constant. More than 5 % behind:"]
    lines += [f"- {name}: {reason}" for name, reason in found["behind"].items()] or ["- none"]
    return "\n".join(lines)
