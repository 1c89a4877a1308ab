"""Every candidate on the same folds: the one loop that trains and judges."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gradatim.evaluation import held_out_ratio
from gradatim.evaluation.racing import Result, deciding_loss
from gradatim.evaluation.splits import Split
from gradatim.events import Stage, Tell
from gradatim.fitting.helping import (
    claimed,
    in_turn,
    is_left_alone,
    keep_outputs,
    take_outputs,
)
from gradatim.fitting.planning import Field, make_first_optimizer
from gradatim.fitting.player import FAILURES, NETWORK, Candidate, Figures, Player
from gradatim.fitting.work import Work
from gradatim.threads import limit_threads, safe_threads
from gradatim.wording import brief

MEASURED = 2  # the fold up to which the network trains side by side first


@dataclass
class Comparison:
    """Figures of every candidate on every fold.

    Args:
        folds: The folds that were used.
        simple: Results of simple models, by name.
        network: Results of the network's default settings.
        notes: Candidates that were left out, and why.
        choices: Settings of a simple model that raced: the best of all, and for each fold the best of the others.
    """

    folds: list[Split]
    simple: dict[str, list[Result]]
    network: list[Result]
    notes: list[str] = field(default_factory=list)
    choices: dict[str, tuple[Any, list[Any]]] = field(default_factory=dict)

    def candidate(self, name: str, k: int | None = None) -> Candidate:
        """A simple model with its settings, those of fold ``k`` or the best of all."""
        if name not in self.choices:
            return Candidate(name)
        best, others = self.choices[name]
        return Candidate(name, best if k is None else others[k])

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
    """Judge every simple model and the network's default on fold after fold, as far as time allows.

    Args:
        player: The data.
        work: Where results are kept.
        budget: Seconds of the whole run; ``None`` uses all folds, however long they take.
        tell: Called with what is done and the share that is done.
    """
    field, folds = Field(player, work, budget), player.folds
    results: dict[str, list[Result]] = {name: [] for name in field.names}
    done = 0
    while done < len(folds) and field.goes_on(done, _ahead(results, done), _first_losses(results)):
        for name in field.order:
            tell(Stage(f"fold {done + 1} of {len(folds)}: {name}", done / len(folds)))
            if done == 0 and not field.admit(name):
                continue
            if name != NETWORK:
                key = f"fold-{done}-{name.replace(' ', '-')}"
                results[name] += recall(work, key, player, [(Candidate(name), done)])
            elif done in (0, MEASURED):  # alone, then side by side: what the other folds will take
                results[name] += _network(player, work, range(len(results[name]), done + 1))
        done += 1
    if NETWORK in field.names:
        tell(Stage("network: setting 1"))
        results[NETWORK] += _network(player, work, range(len(results[NETWORK]), done))
    simple = {name: results[name] for name in field.names if name != NETWORK}
    failed = [name for name, own in simple.items() if not all(result.figures for result in own)]
    notes = [
        f"The model '{name}' could not be fitted in every fold and is left out." for name in failed
    ]
    if done < len(folds):
        whole = sum(max((r.seconds for r in own), default=0.0) for own in results.values())
        notes.append(
            f"Only {done} of {len(folds)} folds were used: all models on one take {brief(whole)} s, starting and reading took "
            f"{brief(field.reading)} s of the budget, and half of the rest is kept for what follows. A longer --budget uses more."
        )
    kept = {name: own for name, own in simple.items() if name not in failed}
    network = results[NETWORK] if NETWORK in field.names else []
    return Comparison(folds[:done], kept, network, field.notes + notes)


def _ahead(results: Mapping[str, list[Result]], done: int) -> dict[str, float]:
    """Seconds that another fold will take, by model; the network has folds to catch up with."""
    ahead = {name: max((r.seconds for r in own), default=0.0) for name, own in results.items()}
    network = results[NETWORK]
    pace = min((r.seconds for r in network), default=0.0)
    return {**ahead, NETWORK: pace * (done + 1 - len(network))}


def _first_losses(results: Mapping[str, list[Result]]) -> dict[str, float]:
    """How models did on the first fold; those that failed are the worst."""
    first = {name: own[0].figures if own else {} for name, own in results.items()}
    return {name: deciding_loss(f) if f else math.inf for name, f in first.items()}


def _network(player: Player, work: Work, folds: range) -> list[Result]:
    """Results of the network's default settings on some folds."""
    make_first_optimizer()
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

    def kept() -> Any:
        results = work.recall(key, judged, lambda: player.told.pack(jobs))
        keep_outputs(work, key, player, *jobs[0])
        return results

    results = in_turn(work, key, kept) if len(jobs) == 1 else kept()
    player.told.unpack(jobs, work.beside(key))
    if len(jobs) == 1:
        take_outputs(work, key, player, *jobs[0])
    return [Result(*result) for result in results]


def help_compare(player: Player, work: Work) -> None:
    """Judge simple models, and a network that trains alone, on folds ahead of the process that decides.

    Args:
        player: The data.
        work: Its work folder.
    """
    names = list(player.simple)
    if player.has_network and not isinstance(player, Stacking):
        names.append(NETWORK)
    places = [(k, name) for k in range(1, len(player.folds)) for name in names]
    for k, name in places:
        if work.is_gone or is_left_alone():
            return
        is_network = name == NETWORK
        key = (
            f"folds-{k}-to-{k + 1}-network" if is_network else f"fold-{k}-{name.replace(' ', '-')}"
        )
        candidate = Candidate(NETWORK, player.draw(0)) if is_network else Candidate(name)
        with claimed(work, key) as is_ours:
            if is_ours and not work.has(key):
                results = judge_all(player, [(candidate, k)])
                keep_outputs(work, key, player, candidate, k)
                if not work.is_gone:
                    work.put(key, results, player.told.pack([(candidate, k)]))


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
