"""Tune a model by a race of its settings over the folds of the comparison, until time is up: the network, and others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gradatim.evaluation.racing import (
    Result,
    Task,
    by_other_folds,
    doubling_rungs,
    hold_race,
    scores,
)
from gradatim.events import Stage, Tell
from gradatim.fitting.comparison import Stacking, judge_all
from gradatim.fitting.player import NETWORK, Candidate, Player
from gradatim.fitting.told import Told
from gradatim.fitting.work import Work

MAX_TRIALS = 1000
SLICE = 0.05  # of the time for the race, that settings side by side may take on their first fold
SHARE = 0.35  # of the time for tuning, that simple models get


@dataclass
class Tuning:
    """What the race found.

    Args:
        settings: The setting that is best over all folds.
        results: The tuned network on each fold, by the setting that is best on the other folds.
        choices: That setting, for each fold.
        trials: Settings tried; finished: those that saw every fold.
        table: Trial number and mean score of each that finished, the best first.
    """

    settings: Any
    results: list[Result]
    choices: list[Any]
    trials: int
    finished: int
    table: list[tuple[int, float]]


class Family(Protocol):
    """Settings of one model that race each other.

    Attributes:
        name: Name of the model.
        limit: Trials there are, the default included.
        width: Settings that are judged side by side.
        slice: Share of the time for the race that they may take on their first fold.
        last: Trainings after the race, in units of one on a fold.
        told: What its models said of judging rows.
    """

    name: str
    limit: int
    width: int
    slice: float
    last: float
    told: Told

    def draw(self, trial: int) -> Any:
        """Return the settings of trial number ``trial``; trial 0 has the defaults."""

    def cost(self, settings: Any) -> float:
        """Return the training time of settings in units of that of trial 0, about."""

    def cost_together(self, settings: Sequence[Any]) -> float:
        """Return the training time of settings side by side, in the same units."""

    def judge(self, jobs: Sequence[tuple[Candidate, int]]) -> list[Result]:
        """Return the results of settings on their folds."""

    def sentence(self, settings: Any, trials: int) -> str:
        """Say which settings won."""


class NetworkFamily:
    """The network's settings, as its player draws and judges them.

    Args:
        player: The data.
    """

    name, slice, limit = NETWORK, SLICE, MAX_TRIALS

    def __init__(self, player: Player) -> None:
        self.player, self.last, self.told = player, player.last, player.told
        self.width = player.width if isinstance(player, Stacking) else 1
        self.draw, self.cost = player.draw, player.cost

    def cost_together(self, settings: Sequence[Any]) -> float:
        """Each has a training of its own."""
        return sum(map(self.cost, settings))

    def judge(self, jobs: Sequence[tuple[Candidate, int]]) -> list[Result]:
        """Results of networks, side by side where the player can."""
        return judge_all(self.player, jobs)

    def sentence(self, settings: Any, trials: int) -> str:
        """Nothing: the report has a section on it."""
        return ""


def tune_simple(
    families: Sequence[Family],
    simple: Mapping[str, list[Result]],
    work: Work,
    *,
    deadline: float | None,
    trials: int | None,
    tell: Tell,
) -> dict[str, Tuning]:
    """Race the settings of simple models, in a share of the time for tuning.

    Args:
        families: Models that have settings.
        simple: Results of simple models with their defaults, by name; who is not there does not race.
        work: As in :func:`tune`.
        deadline: As there.
        trials: As there.
        tell: As there.
    """
    tuned = {}
    for family in families:
        if family.name in simple:
            end = None if deadline is None else work.elapsed + SHARE * (deadline - work.elapsed)
            found = tune(family, simple[family.name], work, deadline=end, trials=trials, tell=tell)
            if found is not None:
                tuned[family.name] = found
    return tuned


def tune(family: Family, default: list[Result], work: Work, *, deadline: float | None, trials: int | None, tell: Tell) -> Tuning | None:  # fmt: skip
    """Race settings until the deadline, or through ``trials`` settings.

    Args:
        family: The settings.
        default: Results of the default settings, trial 0, on the folds that are used.
        work: Where results are kept.
        deadline: Time on the clock of ``work`` at which no further training may be under way.
        trials: Settings to try; takes the place of the deadline.
        tell: Called with what is done and the share that is done.

    Returns:
        ``None`` where no setting could be trained on every fold, or there is no time for the model.
    """
    if not default:
        return None
    count, width = len(default), family.width
    limit = family.limit if trials is None else min(trials, family.limit)
    judging = _Judging(family, default, work, deadline, limit, tell)
    race = hold_race(
        judging,
        range(1, limit),
        doubling_rungs(count) if width > 1 else [range(k, k + 1) for k in range(count)],
        width=width,
        finished={0: default} if all(result.figures for result in default) else {},
    )
    work.recall(judging.over, lambda: True)
    finished = race.finished
    if not finished:
        return None
    matrix = np.stack([scores(results) for results in finished.values()])  # (trials, folds)
    table = sorted(zip(matrix.mean(1).tolist(), finished, strict=True))
    results = list(finished.values())
    others = by_other_folds(matrix).tolist()
    honest = [results[best][k] for k, best in enumerate(others)]
    choices = [family.draw(list(finished)[best]) for best in others]
    settings = family.draw(table[0][1])
    ranked = [(trial, mean) for mean, trial in table]
    return Tuning(settings, honest, choices, 1 + race.tried, len(finished), ranked)


class _Judging:
    """Judges the tasks of a race for which there is time, and keeps the results.

    Every setting that is begun must leave time for its training on all rows, at the pace of a training alone.
    """

    def __init__(self, family: Family, default: list[Result], work: Work, deadline: float | None, limit: int, tell: Tell) -> None:  # fmt: skip
        self.family, self.work, self.limit, self.tell = family, work, limit, tell
        self.race = "race" if family.name == NETWORK else f"race-of-{family.name.replace(' ', '-')}"
        self.over = f"{self.race}-ended"
        self.is_over = work.has(self.over)  # then a resumed run only reads what was measured
        self.deadline, self.count = deadline, len(default)
        self.alone = default[0].seconds
        self.pace = min(result.seconds for result in default)  # seconds of a unit of cost
        self.slice = 0.0 if deadline is None else family.slice * (deadline - work.elapsed)
        self.slowest: dict[int, float] = {}

    def __call__(self, tasks: list[Task]) -> list[Result | None]:
        first = tasks[0]
        self.tell(Stage(f"{self.family.name}: setting {first[0] + 1}", first[0] / self.limit))
        key = f"{self.race}-{first[0]}-fold-{first[1]}"
        if not self.work.has(key):
            chosen = [] if self.is_over else self._in_time(tasks)
            if not chosen:
                return [None] * len(tasks)
            self.work.put(key, self._judge(chosen), self.family.told.pack(self._jobs(chosen)))
        else:
            tried = [(trial, k) for (trial, k), _ in self.work.recall(key, list)]
            self.family.told.unpack(self._jobs(tried), self.work.beside(key))
        kept = {tuple(task): Result(*result) for task, result in self.work.recall(key, list)}
        for (trial, _), result in kept.items():
            self.slowest[trial] = max(result.seconds, self.slowest.get(trial, 0.0))
        return [kept.get(task) for task in tasks]

    def _jobs(self, tasks: Sequence[Task]) -> list[tuple[Candidate, int]]:
        return [(Candidate(self.family.name, self.family.draw(trial)), k) for trial, k in tasks]

    def _judge(self, tasks: list[Task]) -> list[tuple[Task, Result]]:
        jobs = self._jobs(tasks)
        began = self.work.elapsed
        results = self.family.judge(jobs)
        if self.family.width > 1:
            folds = {k: [trial for trial, fold in tasks if fold == k] for _, k in tasks}
            self.pace = (self.work.elapsed - began) / sum(map(self._together, folds.values()))
        return list(zip(tasks, results, strict=True))

    def _cost(self, trial: int) -> float:
        return self.family.cost(self.family.draw(trial))

    def _together(self, trials: Sequence[int]) -> float:
        return self.family.cost_together([self.family.draw(trial) for trial in trials])

    def _in_time(self, tasks: list[Task]) -> list[Task]:
        """Tasks of as many trials as time allows; a trial that begins must have time to finish."""
        if self.deadline is None:
            return tasks
        chosen: list[int] = []
        folds, is_first = {k for _, k in tasks}, tasks[0][1] == 0
        spent, left = 0.0, self.deadline - self.work.elapsed
        for trial in dict.fromkeys(trial for trial, _ in tasks):
            fold = max(self._cost(trial) * self.pace, self.slowest.get(trial, 0.0))
            last = self.family.last * max(self._cost(trial) * self.alone, fold)
            more = fold if not chosen else (self._together([*chosen, trial]) - self._together(chosen)) * self.pace  # fmt: skip
            needed = more * (self.count if is_first and not chosen else len(folds)) + last
            is_much = is_first and spent + more * len(folds) > self.slice
            if spent + needed > left or (chosen and is_much):
                continue
            chosen.append(trial)
            spent += more * len(folds)
        return [task for task in tasks if task[0] in chosen]
