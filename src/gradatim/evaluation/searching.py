"""The work of a search: take a choice that nobody has, score it, tell."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from gradatim.evaluation.claims import Claims
from gradatim.evaluation.fold_fitting import fit_all
from gradatim.evaluation.nested import score_choices
from gradatim.evaluation.samples import Samples
from gradatim.evaluation.scoring import Score
from gradatim.evaluation.spaces import (
    Integers,
    LogUniform,
    Range,
    Space,
    Uniform,
    grid_places,
    random_places,
    values_of,
)
from gradatim.evaluation.splits import Split

MOST_TOGETHER = 8  # choices that train as one computation where what is done is kept
PATIENCE = 0.2  # seconds before looking again whether others are done


class Search(NamedTuple):
    """What every process that works on a search knows."""

    model: Any
    samples: Samples
    space: Space
    splits: Sequence[Split]
    metric: Score
    method: str
    trials: int
    is_pruned: bool
    seed: int


def work(search: Search, store: Any, *, processes: int, is_kept: bool) -> None:
    """Try choices until all are tried, by this process or by others.

    Args:
        search: What is searched.
        store: The study.
        processes: How many work on it from the start: the more, the fewer choices are taken at once.
        is_kept: Whether others may work on it, or go on with it.
    """
    claims = Claims(store, is_shared=is_kept)
    places = _places(search)
    count = search.trials if places is None else len(places)
    together = -(-count // (4 * processes)) if processes > 1 else count
    size = min(together, MOST_TOGETHER) if is_kept else count
    while len([choice for choice in claims.finished() if choice < count]) < count:
        free = claims.free(count)
        if not free:
            time.sleep(PATIENCE)
        elif places is None:
            _propose(search, claims, free[0])
        else:
            _try(search, claims, places, free[:size])


def _places(search: Search) -> list[dict[str, Any]] | None:
    """Where the choices lie; a bayesian search decides as it goes."""
    if search.method == "bayesian":
        return None
    if search.method == "grid":
        return grid_places(search.space)
    return random_places(search.space, search.trials, search.seed)


def _try(
    search: Search, claims: Claims, places: Sequence[dict[str, Any]], free: Sequence[int]
) -> None:
    """Score some choices, all at once, and tell."""
    distributions = {name: _distribution(own) for name, own in search.space.items()}
    claimed = [claims.claim(choice, places[choice], distributions) for choice in free]
    own = [trial for trial in claimed if trial is not None]
    if not own:
        return
    with claims.held(own):
        choices = [values_of(search.space, places[t.user_attrs["choice"]]) for t in own]
        values = score_choices(search.model, search.samples, choices, search.splits, search.metric)
    for trial, value in zip(own, values.mean(1).tolist(), strict=True):
        is_finite = bool(np.isfinite(value))
        claims.tell(trial, value if is_finite else None, "COMPLETE" if is_finite else "FAIL", {})


def _propose(search: Search, claims: Claims, choice: int) -> None:
    """Let Optuna propose one choice from those that are finished, score it, tell."""
    import optuna

    # A sampler that starts anew for every trial, from finished trials only, proposes the same after an interruption.
    sampler = optuna.samplers.TPESampler(seed=search.seed + choice)
    store = claims.store
    memory = optuna.create_study(sampler=sampler, pruner=store.pruner, direction=store.direction)
    memory.add_trials(list(claims.finished().values()))
    trial = memory.ask()
    places = {name: _suggest(trial, name, own) for name, own in search.space.items()}
    own = claims.claim(choice, places, trial.distributions)
    if own is None:
        return
    with claims.held([own]):
        scores, state = _score_folds(search, values_of(search.space, places), trial)
    value = float(np.mean(list(scores))) if state == "COMPLETE" else None
    steps = {count: float(np.mean(scores[:count])) for count in _steps(search, len(scores))}
    claims.tell(own, value, state, steps)


def _steps(search: Search, count: int) -> list[int]:
    """After how many folds a mean was reported."""
    return list(range(1, count + 1)) if search.is_pruned else [count] * bool(count)


def _score_folds(search: Search, choice: dict[str, Any], trial: Any) -> tuple[list[float], str]:
    """Scores of the folds, and how the trial ended; a pruned one lacks some."""
    groups = [[split] for split in search.splits] if search.is_pruned else [list(search.splits)]
    scores: list[float] = []
    for group in groups:
        models = [clone(search.model).set_params(**choice)] * len(group)
        try:
            fitted = fit_all(models, [search.samples.take(train).part for train, _ in group])
        except ArithmeticError:  # the training diverged
            return scores, "FAIL"
        for one, (_, test) in zip(fitted, group, strict=True):
            scores.append(search.samples.take(test).score(search.metric, one))
        trial.report(float(np.mean(scores)), step=len(scores))
        if search.is_pruned and len(scores) < len(search.splits) and trial.should_prune():
            return scores, "PRUNED"
    return scores, "COMPLETE" if np.isfinite(scores).all() else "FAIL"


def _suggest(trial: Any, name: str, own: Range) -> Any:
    if isinstance(own, Integers):
        return trial.suggest_int(name, own.low, own.high)
    if isinstance(own, Uniform | LogUniform):
        return trial.suggest_float(name, own.low, own.high, log=isinstance(own, LogUniform))
    if isinstance(own, Sequence):
        return trial.suggest_categorical(name, list(range(len(own))))
    return trial.suggest_float(name, 0.0, 1.0)


def _distribution(own: Range) -> Any:
    """The places of a range, as Optuna writes them."""
    from optuna.distributions import (
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

    if isinstance(own, Integers):
        return IntDistribution(own.low, own.high)
    if isinstance(own, Uniform | LogUniform):
        return FloatDistribution(own.low, own.high, log=isinstance(own, LogUniform))
    if isinstance(own, Sequence):
        return CategoricalDistribution(list(range(len(own))))
    return FloatDistribution(0.0, 1.0)
