"""Search for the hyper-parameters with the best cross-validated score."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pickle import PicklingError
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier

from gradatim.errors import InvalidValue, choose
from gradatim.evaluation.fold_fitting import fit_all
from gradatim.evaluation.nested import score_choices
from gradatim.evaluation.samples import Samples, read_samples
from gradatim.evaluation.scoring import Score, ScoreFunction, build_score
from gradatim.evaluation.spaces import (
    Integers,
    LogUniform,
    Range,
    Space,
    Uniform,
    check_space,
    describe_range,
    grid_places,
    random_places,
    values_of,
)
from gradatim.evaluation.splits import Folds, Split, make_splits
from gradatim.evaluation.study_file import STUDY, open_journal

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
    score: str | Score | ScoreFunction | None = None,
    groups: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    study: str | Path | None = None,
    is_pruned: bool = False,
    seed: int = 0,
) -> Tuning:
    r"""Try choices of hyper-parameters and return the best, :math:`\theta^* = \arg\min_\theta \hat E(\theta)`.

    Args:
        model: Any scikit-learn estimator; networks of one architecture train as one computation.
        X: Inputs, one row per sample.
        y: Targets.
        space: For every hyper-parameter a list of values, :class:`Uniform`, :class:`LogUniform`,
            :class:`Integers` or a distribution of ``scipy.stats``.
        method: ``"grid"`` tries every combination of values, ``"random"`` independent draws,
            ``"bayesian"`` lets Optuna's tree-structured Parzen estimator propose.
        trials: Choices to try; a grid tries all of its own.
        folds: As in :func:`cross_validate`.
        score: Name of the score.
        groups: A label per row; rows of a group stay together.
        sample_weight: What each row counts for, in fitting and in the score; at least 0.
        study: File in which trials are kept (an Optuna journal). The same call with the same file goes on
            where it was stopped, to the same result. A file of other data, folds, model or space is refused.
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
    _check(method, space, trials, is_pruned)
    metric, samples = build_score(score, model), read_samples("tune", model, X, y, sample_weight)
    stratified = None if is_classifier(model) else False
    splits = make_splits(samples.y, folds, is_stratified=stratified, groups=groups, seed=seed)
    samples.check("tune", splits)
    identity: dict[str, Any] = {
        "method": method,
        "score": metric.name,
        "space": {name: describe_range(own) for name, own in space.items()},
        "is_pruned": is_pruned,
        "seed": seed,
    }
    if study is not None:
        things = {"data": [*samples.part, groups], "folds": splits, "model": clone(model)}
        identity |= {name: _fingerprint(name, thing) for name, thing in things.items()}
    store = _open_study(study, metric, identity)
    if method == "bayesian":
        while len(_finished(store)) < trials:
            _propose(store, model, samples, space, splits, metric, is_pruned, seed)
    else:
        places = grid_places(space) if method == "grid" else random_places(space, trials, seed)
        for block in _blocks(places, len(_finished(store)), is_kept=study is not None):
            _try(store, model, samples, space, splits, metric, block)
    return _result(store, space, metric)


def _check(method: str, space: Space, trials: int, is_pruned: bool) -> None:
    choose("tune", "method", method, METHODS)
    check_space(space)
    if trials < 1:
        raise InvalidValue(f"tune: trials must be at least 1, got {trials}.")
    if is_pruned and method != "bayesian":
        raise InvalidValue(f"tune: is_pruned must go with method='bayesian', got {method!r}.")


def _try(
    store: Any,
    model: Any,
    samples: Samples,
    space: Space,
    splits: Sequence[Split],
    metric: Score,
    places: Sequence[dict[str, Any]],
) -> None:
    """Score the choices at some places, all at once, and tell."""
    choices = [values_of(space, place) for place in places]
    values = score_choices(model, samples, choices, splits, metric)
    for place, value in zip(places, values.mean(1).tolist(), strict=True):
        _record(store, place, space, value)


def _blocks(
    places: list[dict[str, Any]], done: int, *, is_kept: bool
) -> list[list[dict[str, Any]]]:
    """Places still to try: all at once, or in small groups where a file keeps what is done."""
    rest = places[done:]
    size = 8 if is_kept else max(len(rest), 1)
    return [rest[start : start + size] for start in range(0, len(rest), size)]


def _propose(
    store: Any,
    model: Any,
    samples: Samples,
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
    choice = values_of(space, {name: _suggest(trial, name, own) for name, own in space.items()})
    groups = [[split] for split in splits] if is_pruned else [list(splits)]
    value, state = None, optuna.trial.TrialState.COMPLETE
    scores: list[float] = []
    for group in groups:
        models = [clone(model).set_params(**choice)] * len(group)
        try:
            fitted = fit_all(models, [samples.take(train).part for train, _ in group])
        except ArithmeticError:  # the training diverged
            state = optuna.trial.TrialState.FAIL
            break
        for one, (_, test) in zip(fitted, group, strict=True):
            scores.append(samples.take(test).score(metric, one))
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
    if isinstance(own, Sequence):
        return trial.suggest_categorical(name, list(range(len(own))))
    return trial.suggest_float(name, 0.0, 1.0)


def _fingerprint(name: str, thing: Any) -> str:
    try:
        return joblib.hash(thing)
    except (PicklingError, TypeError, AttributeError) as error:
        raise InvalidValue(
            f"tune: {name} must have contents that can be compared with those of a study, got {error}. "
            "Use functions with a name, or leave study out."
        ) from error


def _open_study(path: str | Path | None, metric: Score, identity: Mapping[str, Any]) -> Any:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    store = optuna.create_study(
        study_name=STUDY,
        storage=None if path is None else open_journal(path),
        load_if_exists=True,
        direction="maximize" if metric.higher_is_better else "minimize",
        pruner=optuna.pruners.MedianPruner(n_startup_trials=3),
    )
    kept = json.loads(store.user_attrs.get("job", json.dumps(identity)))
    others = [name for name in identity if kept.get(name) != identity[name]]
    if others:
        raise InvalidValue(
            f"tune: study must be a file of the same search, got '{path}' of one with other {', '.join(others)}. "
            "Choose another file."
        )
    store.set_user_attr("job", json.dumps(identity))
    return store


def _finished(store: Any) -> list[Any]:
    return [trial for trial in store.trials if trial.state.is_finished()]


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


def _record(store: Any, places: Mapping[str, Any], space: Space, value: float) -> None:
    import optuna

    is_finite = bool(np.isfinite(value))
    states = optuna.trial.TrialState
    store.add_trial(
        optuna.trial.create_trial(
            params=dict(places),
            distributions={name: _distribution(own) for name, own in space.items()},
            value=value if is_finite else None,
            state=states.COMPLETE if is_finite else states.FAIL,
        )
    )


def _result(store: Any, space: Space, metric: Score) -> Tuning:
    trials = []
    for own in _finished(store):
        parameters = values_of(space, own.params)
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
