"""Search for the hyper-parameters with the best cross-validated score."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from gradatim.errors import InvalidValue, choose
from gradatim.evaluation.fold_fitting import fit_all, take
from gradatim.evaluation.nested import score_choices
from gradatim.evaluation.scoring import Score, build_score
from gradatim.evaluation.spaces import (
    Integers,
    LogUniform,
    Range,
    Space,
    Uniform,
    check_space,
    grid_choices,
    random_choices,
)
from gradatim.evaluation.splits import Folds, Split, make_splits

METHODS = ("grid", "random", "bayesian")


@dataclass(frozen=True)
class Trial:
    """One choice of hyper-parameters and its score; a pruned trial was given up on the way."""

    parameters: Mapping[str, Any]
    score: float
    is_pruned: bool = False


@dataclass(frozen=True, repr=False)
class Tuning:
    """What a search found.

    Args:
        score: Name of the score.
        best: The best choice.
        best_score: Its cross-validated score: optimistic, for it was picked as the best.
        trials: Every choice tried, in order.
    """

    score: str
    best: Mapping[str, Any]
    best_score: float
    trials: tuple[Trial, ...]

    def __repr__(self) -> str:
        return f"Tuning({self.score} {self.best_score:.4g} after {len(self.trials)} trials, best {dict(self.best)})"


def tune(
    model: Any,
    X: Any,
    y: Any,
    space: Space,
    *,
    method: str = "random",
    trials: int = 20,
    folds: Folds = 5,
    score: str | Score | None = None,
    study: str | Path | None = None,
    is_pruned: bool = False,
    seed: int = 0,
) -> Tuning:
    r"""Try choices of hyper-parameters and return the best, :math:`\theta^* = \arg\min_\theta \hat E(\theta)`.

    Args:
        model: Any scikit-learn estimator; networks of one architecture train as one computation.
        X: Inputs, one row per sample.
        y: Targets.
        space: For every hyper-parameter a list of values, :class:`Uniform`, :class:`LogUniform` or
            :class:`Integers`.
        method: ``"grid"`` tries every combination of values, ``"random"`` independent draws,
            ``"bayesian"`` lets Optuna's tree-structured Parzen estimator propose.
        trials: Choices to try; a grid tries all of its own.
        folds: As in :func:`cross_validate`.
        score: Name of the score.
        study: File in which trials are kept (an Optuna journal). The same call with the same file goes on
            where it was stopped, to the same result.
        is_pruned: Give up a choice after a fold if it does worse there than the median of those before;
            for the bayesian method.
        seed: Fixes everything.

    Example:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> result = tune(KNeighborsClassifier(), X, y, {"n_neighbors": [5, 99]}, method="grid")
        >>> result.best
        {'n_neighbors': 5}
    """
    choose("tune", "method", method, METHODS)
    check_space(space)
    if trials < 1:
        raise InvalidValue(f"tune: trials must be at least 1, got {trials}.")
    if is_pruned and method != "bayesian":
        raise InvalidValue(f"tune: is_pruned must go with method='bayesian', got {method!r}.")
    metric = build_score(score, model)
    store = _open_study(study, metric, method, space, seed)
    if method == "bayesian":
        stratified = None if is_classifier(model) else False
        splits = make_splits(y, folds, is_stratified=stratified, seed=seed)
        while len(_finished(store)) < trials:
            _propose(store, model, X, y, space, splits, metric, is_pruned, seed)
    else:
        choices = grid_choices(space) if method == "grid" else random_choices(space, trials, seed)
        for block in _blocks(choices, len(_finished(store)), is_kept=study is not None):
            values = score_choices(model, X, y, block, folds=folds, score=metric, seed=seed)
            for choice, value in zip(block, values.mean(1).tolist(), strict=True):
                _record(store, choice, space, value)
    return _result(store, space, metric)


def _blocks(
    choices: list[dict[str, Any]], done: int, *, is_kept: bool
) -> list[list[dict[str, Any]]]:
    """Choices still to try: all at once, or in small groups where a file keeps what is done."""
    rest = choices[done:]
    size = 8 if is_kept else max(len(rest), 1)
    return [rest[start : start + size] for start in range(0, len(rest), size)]


def _propose(
    store: Any,
    model: Any,
    X: Any,
    y: Any,
    space: Space,
    splits: Sequence[Split],
    metric: Score,
    is_pruned: bool,
    seed: int,
) -> None:
    """Ask for one choice, score it, tell."""
    import optuna

    # A sampler that starts anew for every trial, from finished trials only, proposes the same after an
    # interruption: the file never holds a trial that was cut off.
    done = _finished(store)
    sampler = optuna.samplers.TPESampler(seed=seed + len(done))
    memory = optuna.create_study(sampler=sampler, pruner=store.pruner, direction=store.direction)
    memory.add_trials(done)
    trial = memory.ask()
    choice = {name: _suggest(trial, name, own) for name, own in space.items()}
    y = np.asarray(y)
    groups = [[split] for split in splits] if is_pruned else [list(splits)]
    value, state = None, optuna.trial.TrialState.COMPLETE
    scores: list[float] = []
    for group in groups:
        models = [clone(model).set_params(**choice)] * len(group)
        try:
            fitted = fit_all(models, [(take(X, train), y[train]) for train, _ in group])
        except ArithmeticError:  # the training diverged
            state = optuna.trial.TrialState.FAIL
            break
        for one, (_, test) in zip(fitted, group, strict=True):
            scores.append(metric.function(one, take(X, test), y[test]))
        trial.report(float(np.mean(scores)), step=len(scores))
        if is_pruned and len(scores) < len(splits) and trial.should_prune():
            state = optuna.trial.TrialState.PRUNED
            break
    else:
        value = float(np.mean(scores))
    memory.tell(trial, value, state=state)
    store.add_trial(memory.trials[-1])


def _suggest(trial: Any, name: str, own: Range) -> Any:
    if isinstance(own, Integers):
        return trial.suggest_int(name, own.low, own.high)
    if isinstance(own, Uniform | LogUniform):
        return trial.suggest_float(name, own.low, own.high, log=isinstance(own, LogUniform))
    return own[trial.suggest_categorical(name, list(range(len(own))))]


def _open_study(
    path: str | Path | None, metric: Score, method: str, space: Space, seed: int
) -> Any:
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = None
    if path is not None:
        lock = JournalFileOpenLock(str(path))
        storage = JournalStorage(JournalFileBackend(str(path), lock_obj=lock))
    store = optuna.create_study(
        study_name="tune",
        storage=storage,
        load_if_exists=True,
        direction="maximize" if metric.higher_is_better else "minimize",
        pruner=optuna.pruners.MedianPruner(n_startup_trials=3),
    )
    job = json.dumps(
        {"method": method, "score": metric.name, "space": repr(dict(space)), "seed": seed}
    )
    if store.user_attrs.get("job", job) != job:
        raise InvalidValue(
            f"tune: study must be a file of the same search, got '{path}' of another one: "
            f"{store.user_attrs['job']}. Choose another file."
        )
    store.set_user_attr("job", job)
    return store


def _finished(store: Any) -> list[Any]:
    return [trial for trial in store.trials if trial.state.is_finished()]


def _record(store: Any, choice: Mapping[str, Any], space: Space, value: float) -> None:
    import optuna

    kept: dict[str, Any] = {}
    ranges: dict[str, Any] = {}
    for name, own in space.items():
        if isinstance(own, Integers):
            kept[name], ranges[name] = (
                choice[name],
                optuna.distributions.IntDistribution(own.low, own.high),
            )
        elif isinstance(own, Uniform | LogUniform):
            is_log = isinstance(own, LogUniform)
            kept[name] = choice[name]
            ranges[name] = optuna.distributions.FloatDistribution(own.low, own.high, log=is_log)
        else:
            places = list(range(len(own)))
            kept[name] = next(
                place
                for place in places
                if own[place] is choice[name] or own[place] == choice[name]
            )
            ranges[name] = optuna.distributions.CategoricalDistribution(places)
    state = optuna.trial.TrialState.COMPLETE if np.isfinite(value) else optuna.trial.TrialState.FAIL
    store.add_trial(
        optuna.trial.create_trial(
            params=kept,
            distributions=ranges,
            value=value if np.isfinite(value) else None,
            state=state,
        )
    )


def _result(store: Any, space: Space, metric: Score) -> Tuning:
    trials = []
    for own in _finished(store):
        parameters = {
            name: value
            if isinstance(space[name], Uniform | LogUniform | Integers)
            else space[name][value]  # type: ignore[index]
            for name, value in ((name, own.params[name]) for name in space)
        }
        is_pruned = own.state.name == "PRUNED"
        value = float("nan") if own.value is None else float(own.value)
        trials.append(Trial(parameters, value, is_pruned))
    complete = [trial for trial in trials if np.isfinite(trial.score) and not trial.is_pruned]
    if not complete:
        raise InvalidValue(
            f"tune: space must hold a choice that can be trained, got {len(trials)} that all diverged. "
            "Try lower learning rates."
        )
    best = complete[metric.best([trial.score for trial in complete])]
    return Tuning(metric.name, best.parameters, best.score, tuple(trials))
