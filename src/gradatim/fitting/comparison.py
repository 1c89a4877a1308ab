"""Every candidate on the same folds: the one loop that trains and judges."""

import time
from dataclasses import dataclass, field

import numpy as np

from gradatim.evaluation import held_out_ratio
from gradatim.evaluation.splits import Split
from gradatim.events import Stage, Tell
from gradatim.fitting.player import NETWORK, Candidate, Figures, Player
from gradatim.fitting.work import Work
from gradatim.training import NonFiniteError

MIN_FOLDS = 3
SHARE = 0.5  # of the budget, after which no further fold is begun


@dataclass
class Result:
    """Figures of one candidate on one fold, and the seconds they took; no figures where it failed."""

    figures: Figures
    seconds: float


@dataclass
class Comparison:
    """Figures of every candidate on every fold.

    Args:
        folds: The folds that were used.
        simple: Results of simple models, by name.
        notes: Candidates that were left out, and why.
    """

    folds: list[Split]
    simple: dict[str, list[Result]]
    notes: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Judging rows per training row, averaged over the folds."""
        return held_out_ratio(self.folds)


def compare(player: Player, work: Work, budget: float | None, tell: Tell) -> Comparison:
    """Judge every simple model and the network's default on fold after fold.

    Args:
        player: The data.
        work: Where results are kept.
        budget: Seconds of the whole run; ``None`` uses all folds, however long they take.
        tell: Called with what is done and the share that is done.
    """
    names, folds = player.simple, player.folds
    results: dict[str, list[Result]] = {name: [] for name in names}
    done = 0
    for k in range(len(folds)):
        for name in names:
            tell(Stage(f"fold {k + 1} of {len(folds)}: {name}", k / len(folds)))
            key = f"{name.replace(' ', '-')}-fold-{k}"
            results[name].append(_judge(player, Candidate(name), k, key, work))
        judge_network(player, 0, k, work)
        done = k + 1
        late = budget is not None and done >= MIN_FOLDS and work.elapsed > SHARE * budget
        if work.recall(f"stop-{done}", lambda late=late: late):  # type: ignore[misc]
            break
    failed = [name for name in names if not all(result.figures for result in results[name])]
    notes = [
        f"The model '{name}' could not be fitted in every fold and is left out." for name in failed
    ]
    if done < len(folds):
        notes.append(f"{done} of {len(folds)} folds were used, to keep within the budget.")
    return Comparison(folds[:done], {n: r for n, r in results.items() if n not in failed}, notes)


def judge_network(player: Player, trial: int, k: int, work: Work) -> Result:
    """Judge trial number ``trial`` of the network on fold ``k``."""
    candidate = Candidate(NETWORK, player.draw(trial))
    return _judge(player, candidate, k, network_key(trial, k), work)


def network_key(trial: int, k: int) -> str:
    """Where the result of a trial of the network on fold ``k`` is kept."""
    return f"network-{trial}-fold-{k}"


def _judge(player: Player, candidate: Candidate, k: int, key: str, work: Work) -> Result:
    def measured() -> dict[str, object]:
        started = time.perf_counter()
        try:
            figures = player.judge(candidate, k)
        except (NonFiniteError, np.linalg.LinAlgError, ValueError):
            figures = {}
        if figures and not np.isfinite(next(iter(figures.values()))):
            figures = {}
        return {"figures": figures, "seconds": time.perf_counter() - started}

    return Result(**work.recall(key, measured))
