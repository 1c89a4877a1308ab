"""Every candidate on the same folds: the one loop that trains and judges."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from gradatim.evaluation import held_out_ratio
from gradatim.evaluation.racing import Result
from gradatim.evaluation.splits import Split
from gradatim.events import Stage, Tell
from gradatim.fitting.player import FAILURES, NETWORK, Candidate, Figures, Player
from gradatim.fitting.work import Work
from gradatim.threads import limit_threads, safe_threads

MIN_FOLDS = 3
SHARE = 0.5  # of the budget, after which no further fold is begun


@dataclass
class Comparison:
    """Figures of every candidate on every fold.

    Args:
        folds: The folds that were used.
        simple: Results of simple models, by name.
        network: Results of the network's default settings.
        notes: Candidates that were left out, and why.
    """

    folds: list[Split]
    simple: dict[str, list[Result]]
    network: list[Result]
    notes: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Judging rows per training row, averaged over the folds."""
        return held_out_ratio(self.folds)


@runtime_checkable
class Stacking(Protocol):
    """A player whose networks train side by side, folds and settings alike.

    Attributes:
        width: Settings that are drawn in one shape, one after another from trial 1.
    """

    width: int

    def judge_together(self, jobs: Sequence[tuple[Candidate, int]]) -> list[Figures]:
        """Figures of networks on their folds; none where a training failed."""


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
    network: list[Result] = []
    for k in range(len(folds)):
        for name in names:
            tell(Stage(f"fold {k + 1} of {len(folds)}: {name}", k / len(folds)))
            key = f"fold-{k}-{name.replace(' ', '-')}"
            results[name] += recall(work, key, player, [(Candidate(name), k)])
        done = k + 1
        if done in (1, MIN_FOLDS):  # alone, then side by side: what the other folds will take
            network += _network(player, work, range(len(network), done))
        pace = min(result.seconds for result in network)
        planned = work.elapsed + pace * (done - len(network))
        late = budget is not None and done >= MIN_FOLDS and planned > SHARE * budget
        if work.recall(f"stop-{done}", lambda late=late: late):  # type: ignore[misc]
            break
    tell(Stage("network: setting 1"))
    network += _network(player, work, range(len(network), done))
    failed = [name for name in names if not all(result.figures for result in results[name])]
    notes = [
        f"The model '{name}' could not be fitted in every fold and is left out." for name in failed
    ]
    if done < len(folds):
        notes.append(f"{done} of {len(folds)} folds were used, to keep within the budget.")
    kept = {name: own for name, own in results.items() if name not in failed}
    return Comparison(folds[:done], kept, network, notes)


def _network(player: Player, work: Work, folds: range) -> list[Result]:
    """Results of the network's default settings on some folds."""
    default = Candidate(NETWORK, player.draw(0))
    together = isinstance(player, Stacking)
    parts = [folds] if together and folds else [range(k, k + 1) for k in folds]
    return [
        result
        for part in parts
        for result in recall(
            work, f"folds-{part.start}-to-{part.stop}-network", player, [(default, k) for k in part]
        )
    ]


def recall(
    work: Work, key: str, player: Player, jobs: Sequence[tuple[Candidate, int]]
) -> list[Result]:
    """Results that are kept under ``key``; those of ``jobs``, judged now, where it is new."""

    def judged() -> list[Result]:
        return judge_all(player, jobs)

    return [Result(*result) for result in work.recall(key, judged)]


def judge_all(player: Player, jobs: Sequence[tuple[Candidate, int]]) -> list[Result]:
    """Judge candidates on their folds: networks side by side where the player can, else one after another."""
    if isinstance(player, Stacking) and all(candidate.name == NETWORK for candidate, _ in jobs):
        started = time.perf_counter()
        with limit_threads(safe_threads()):
            figures = player.judge_together(jobs)
        seconds = time.perf_counter() - started
        costs = np.array([player.cost(candidate.settings) for candidate, _ in jobs])
        shares = (seconds * costs / max(costs.sum(), 1e-9)).tolist()
        return [Result(_sound(f), share) for f, share in zip(figures, shares, strict=True)]
    return [_judge(player, *job) for job in jobs]


def _judge(player: Player, candidate: Candidate, k: int) -> Result:
    started = time.perf_counter()
    try:
        with limit_threads(safe_threads()):
            figures = player.judge(candidate, k)
    except FAILURES:
        figures = {}
    return Result(_sound(figures), time.perf_counter() - started)


def _sound(figures: Figures) -> Figures:
    return figures if figures and np.isfinite(next(iter(figures.values()))) else {}
