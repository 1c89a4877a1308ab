"""Search for the hyper-parameters with the best cross-validated score."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pickle import PicklingError
from tempfile import TemporaryDirectory
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier

from gradatim.errors import InvalidValue, choose, require_whole
from gradatim.evaluation.claims import Claims
from gradatim.evaluation.samples import read_samples
from gradatim.evaluation.scoring import Score, ScoreFunction, build_score
from gradatim.evaluation.search_processes import helping
from gradatim.evaluation.searching import Search, work
from gradatim.evaluation.spaces import (
    Space,
    check_space,
    describe_range,
    grid_places,
    values_of,
)
from gradatim.evaluation.splits import Folds, make_splits
from gradatim.evaluation.study_file import open_study

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
    processes: int = 1,
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
        study: File in which trials are kept (an Optuna journal), or URL of a database, such as
            ``"sqlite:///study.db"``. The same call with the same study goes on where it was stopped, to the same
            result; made several times at once, in several shells or on several machines, all work on it together. A
            choice whose process was killed is tried by another. A study of other data, folds, model or space is
            refused.
        processes: How many work on the search, this one and others that it starts. A grid and random draws give what
            one process gives. A bayesian search may differ: each process proposes from what is finished then.
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
    _check(method, space, trials, is_pruned, processes)
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
    search = Search(model, samples, space, splits, metric, method, trials, is_pruned, seed)
    with _kept_at(study, processes) as place:
        store = open_study(place, metric, identity)
        with helping(search, place or "", identity, processes - 1):
            work(search, store, processes=processes, is_kept=place is not None)
        return _result(store, space, metric)


def _check(method: str, space: Space, trials: int, is_pruned: bool, processes: int) -> None:
    choose("tune", "method", method, METHODS)
    check_space(space)
    if method == "grid":
        grid_places(space)
    if trials < 1:
        raise InvalidValue(f"tune: trials must be at least 1, got {trials}.")
    require_whole("tune", processes=processes)
    if is_pruned and method != "bayesian":
        raise InvalidValue(f"tune: is_pruned must go with method='bayesian', got {method!r}.")


@contextmanager
def _kept_at(study: str | Path | None, processes: int) -> Iterator[str | None]:
    """Where trials are kept: where the user says, in a passing file for several processes, in memory for one."""
    if study is not None or processes == 1:
        yield None if study is None else str(study)
        return
    with TemporaryDirectory(prefix="gradatim-") as folder:
        yield str(Path(folder) / "study.log")


def _fingerprint(name: str, thing: Any) -> str:
    try:
        return joblib.hash(thing)
    except (PicklingError, TypeError, AttributeError) as error:
        raise InvalidValue(
            f"tune: {name} must have contents that can be compared with those of a study, got {error}. "
            "Use functions with a name, or leave study out."
        ) from error


def _result(store: Any, space: Space, metric: Score) -> Tuning:
    trials = []
    for own in Claims(store, is_shared=False).finished().values():
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
