"""Networks with scikit-learn's face: ``fit``, ``predict``, ``score``, pipelines, grids."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data
from torch import Tensor, nn

from gradatim.errors import InvalidValue, choose, require
from gradatim.losses import Loss, build_loss
from gradatim.losses.named import is_named
from gradatim.model_folder import save_model
from gradatim.models import MLP, describe
from gradatim.models.restoring import restore
from gradatim.optim.named import default_lr
from gradatim.randomness import seeded
from gradatim.training import EarlyStopping, History, Trainer, train_replicas
from gradatim.training.device import choose_device

__all__ = ["NeuralClassifier", "NeuralRegressor"]

_CHUNK = 4096  # rows per prediction


class _Job(NamedTuple):
    """What the networks of an estimator learn: scaled inputs, encoded target, one seed per member."""

    inputs: NDArray[Any]
    target: NDArray[Any]
    outputs: int
    loss: str | Loss
    strata: NDArray[Any] | None
    seeds: range


@dataclass(eq=False, repr=False)
class _NeuralEstimator(BaseEstimator, ABC):
    """What classifier and regressor share: a standardizer, then one or more MLPs that are averaged."""

    hidden: Sequence[int] = (100,)
    _: KW_ONLY
    activation: str = "relu"
    dropout: float = 0.0
    norm: str | None = None
    loss: str | Loss | None = None
    weight_decay: float = 0.0
    lr: float | None = None
    clip_norm: float | None = None
    clip_value: float | None = None
    batch_size: int = 32
    epochs: int = 100
    optimizer: str = "adam"
    schedule: str | None = None
    early_stopping: bool = False
    patience: int = 10
    validation_fraction: float = 0.1
    standardize: bool = True
    members: int = 1
    seed: int = 0
    random_state: int | np.random.RandomState | None = None
    device: str = "auto"
    progress: bool = False

    _losses: ClassVar[tuple[str, ...]] = ()  # names of those that fit the task, the default first

    @abstractmethod
    def _encode(self, y: NDArray[Any]) -> tuple[NDArray[Any], int, NDArray[Any] | None]:
        """Return the target a network learns, its number of outputs, and the strata of ``y``."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on ``X`` of shape ``(N, features)`` and ``y``."""
        return self._train_members(self._prepare(X, y))

    @staticmethod
    def fit_replicas(
        estimators: Sequence["_NeuralEstimator"], parts: Sequence[tuple[ArrayLike, ArrayLike]]
    ) -> None:
        """Fit each estimator to its pair ``(X, y)``; equal networks train as one computation.

        The result is that of ``estimator.fit(X, y)`` for each, to rounding. Estimators may differ in
        ``lr``, ``weight_decay``, ``seed``, ``members`` and data within one computation; those
        that differ in more make one computation each.
        """
        jobs = [e._prepare(*part) for e, part in zip(estimators, parts, strict=True)]
        kinds = [e._kind(job) for e, job in zip(estimators, jobs, strict=True)]
        for kind in dict.fromkeys(kinds):
            group = [i for i, other in enumerate(kinds) if other == kind]
            _train_together([estimators[i] for i in group], [jobs[i] for i in group])

    def _prepare(self, X: ArrayLike, y: ArrayLike) -> "_Job":
        X, y = self._validate(X, y)
        target, outputs, strata = self._encode(y)
        self.mean_, self.scale_ = _spread(X, self.standardize)
        inputs = ((X - self.mean_) / self.scale_).astype(np.float32)
        require(self.members >= 1, f"{self._name}: members must be at least 1", self.members)
        self._check_used()
        loss = self._losses[0] if self.loss is None else self.loss
        if isinstance(loss, str):
            choose(self._name, "loss", loss, self._losses)
        rng = check_random_state(self.random_state) if self.random_state is not None else None
        first = self.seed if rng is None else int(rng.randint(2**31 - 1))
        return _Job(inputs, target, outputs, loss, strata, range(first, first + self.members))

    def _check_used(self) -> None:
        """Raise if a setting was changed that has no effect beside the others."""
        needed = {
            "early_stopping=True": (self.early_stopping, ("patience", "validation_fraction")),
            "a hidden layer": (len(self.hidden) > 0, ("activation", "dropout", "norm")),
            "random_state=None": (self.random_state is None, ("seed",)),
        }
        for condition, (holds, names) in needed.items():
            for name in names:
                value = getattr(self, name)
                rule = f"{self._name}: {name} must come with {condition}"
                require(holds or value == getattr(_NeuralEstimator, name), rule, repr(value))

    @property
    def _is_stackable(self) -> bool:
        """Whether equal networks can train as one computation."""
        has_name = self.loss is None or is_named(build_loss(self.loss))
        is_plain = self.norm in (None, "layer") and has_name
        return is_plain and choose_device(self.device).type == "cpu"

    def _train_members(self, job: "_Job") -> Self:
        return self._keep(*zip(*(self._train(job, seed) for seed in job.seeds), strict=True))

    def _keep(self, networks: Sequence[nn.Module], histories: Sequence[History]) -> Self:
        self.networks_, self.histories_ = list(networks), list(histories)
        self.history_ = self.histories_[0]
        return self

    def _build(self, job: "_Job") -> MLP:
        sizes = (job.inputs.shape[1], *self.hidden, job.outputs)
        return MLP(sizes, activation=self.activation, dropout=self.dropout, norm=self.norm)

    def _kind(self, job: "_Job") -> tuple[object, ...]:
        """What estimators must have in common to train as one computation."""
        own = {"lr", "weight_decay", "seed", "random_state", "members"}
        shared = {k: v for k, v in self.get_params().items() if k not in own}
        return (job.inputs.shape[1], job.outputs, job.loss, repr(sorted(shared.items())))

    def _train(self, job: "_Job", seed: int) -> tuple[MLP, History]:
        with seeded(seed):
            network = self._build(job)
        train, validation = self._parts(job, seed)
        trainer = Trainer(
            network,
            job.loss,
            self.optimizer,
            lr=self.lr,
            weight_decay=self.weight_decay,
            schedule=self.schedule,
            epochs=self.epochs,
            batch_size=min(self.batch_size, len(train[0])),
            clip_norm=self.clip_norm,
            clip_value=self.clip_value,
            callbacks=[] if validation is None else [EarlyStopping(patience=self.patience)],
            device=self.device,
            seed=seed,
            progress=self.progress,
        )
        history = trainer.fit(train, validation)
        return network.to("cpu"), history

    def _parts(self, job: "_Job", seed: int) -> tuple[tuple[Any, Any], tuple[Any, Any] | None]:
        """Rows to learn from, and rows that tell when to stop."""
        if not self.early_stopping:
            return (job.inputs, job.target), None
        return self._hold_out(job.inputs, job.target, job.strata, seed)

    def _hold_out(
        self, X: NDArray[Any], y: NDArray[Any], strata: NDArray[Any] | None, seed: int
    ) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        rows = round(self.validation_fraction * len(X))
        rule = f"{self._name}: validation_fraction must leave a row on both sides"
        got = f"{self.validation_fraction} of {len(X)} rows"
        require(0 < rows < len(X), rule, got, "Try early_stopping=False.")
        if strata is not None:
            counts = np.bincount(strata)
            if counts.min() < 2 or rows < len(counts) or len(X) - rows < len(counts):
                strata = None
        parts = train_test_split(X, y, test_size=rows, random_state=seed % 2**32, stratify=strata)
        return (parts[0], parts[2]), (parts[1], parts[3])

    @torch.inference_mode()
    def _outputs(self, X: ArrayLike) -> Tensor:
        """Outputs of every member, shape ``(members, N, outputs)``.

        In double precision, so that a row's prediction does not depend on the rows beside it.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        inputs = torch.from_numpy(((rows - self.mean_) / self.scale_).astype(np.float32)).double()
        outputs = []
        for network in self.networks_:
            network.double().eval()
            try:
                outputs.append(torch.cat([network(part) for part in inputs.split(_CHUNK)]))
            finally:
                network.float()
        return torch.stack(outputs)

    @abstractmethod
    def _validate(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]: ...

    @property
    def _name(self) -> str:
        return type(self).__name__

    def save(self, folder: str | Path) -> Path:
        """Write a model folder that :func:`gradatim.load_model` reads."""
        check_is_fitted(self)
        rule = f"{self._name}.save: loss must be a name or None to be written down"
        remedy = f"Try set_params(loss={self._losses[0]!r}) first: predictions do not depend on it."
        require(self.loss is None or isinstance(self.loss, str), rule, repr(self.loss), remedy)
        tensors = {"mean": torch.from_numpy(self.mean_), "scale": torch.from_numpy(self.scale_)}
        for i, network in enumerate(self.networks_):
            tensors |= {f"network.{i}.{k}": v for k, v in network.state_dict().items()}
        parameters = self.get_params()
        parameters["hidden"] = list(self.hidden)
        if not isinstance(self.random_state, int | np.integer):
            parameters["random_state"] = None
        description = {
            "estimator": self._name,
            "parameters": _plain(parameters),
            "architecture": describe(self.networks_[0]),
            "features": int(self.n_features_in_),
            "feature_names": _plain(getattr(self, "feature_names_in_", None)),
            "histories": [history.records for history in self.histories_],
            **self._description(),
        }
        return save_model(folder, "estimator", description, tensors)

    @abstractmethod
    def _description(self) -> dict[str, Any]:
        """What the kind of estimator must keep beyond the networks."""


class NeuralClassifier(ClassifierMixin, _NeuralEstimator):
    """A multi-layer perceptron for classification, as a scikit-learn estimator.

    Args:
        hidden: Widths of the hidden layers.
        activation: Name of the activation.
        dropout: Probability to drop a hidden unit.
        norm: Normalization of the hidden layers, as in :class:`~gradatim.models.MLP`.
        loss: Name, ``"cross_entropy"`` or ``"smoothed_cross_entropy"`` (for :class:`NeuralRegressor` ``"mse"``,
            ``"mae"`` or ``"huber"``), or a function ``(output, target) -> scalar``, such as
            ``partial(huber, delta=0.1)``, of outputs and class numbers or scaled targets.
        weight_decay: Penalty on weights.
        lr: Initial step size; by default the optimizer's own.
        clip_norm: Largest norm of the gradient.
        clip_value: Largest absolute value of an entry of the gradient; applied before ``clip_norm``.
        batch_size: Rows per step.
        epochs: Passes over the data, at most.
        optimizer: Name of the optimizer.
        schedule: Name of the learning-rate schedule.
        early_stopping: Hold out ``validation_fraction`` of the rows and keep the best epoch.
        patience: Epochs without improvement before stopping.
        validation_fraction: Share of rows held out for early stopping.
        standardize: Scale every feature to mean 0 and variance 1.
        members: Networks trained from different starts, whose predictions are averaged.
        seed: Fixes all randomness.
        random_state: scikit-learn's spelling of ``seed``; only one of the two is given.
        device: ``"auto"`` takes an accelerator when there is one.
        progress: Whether to show a bar on a terminal.

    Example:
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> NeuralClassifier((16,), epochs=30, lr=0.01).fit(X, y).score(X, y) > 0.95
        True
    """

    _losses: ClassVar[tuple[str, ...]] = ("cross_entropy", "smoothed_cross_entropy")

    def _validate(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        return rows, column_or_1d(labels, warn=True)

    def _encode(self, y: NDArray[Any]) -> tuple[NDArray[Any], int, NDArray[Any] | None]:
        self.classes_, codes = np.unique(y, return_inverse=True)
        rule = f"{self._name}: y must have at least two classes"
        got = f"one class: {self.classes_[0]!r}"
        require(len(self.classes_) >= 2, rule, got, "There is nothing to tell apart.")
        return codes, len(self.classes_), codes

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities, averaged over members, shape ``(N, classes)``."""
        return self._outputs(X).softmax(-1).mean(0).numpy()

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of every row."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(1)]

    def _description(self) -> dict[str, Any]:
        return {"classes": _plain(self.classes_), "classes_dtype": self.classes_.dtype.str}


class NeuralRegressor(RegressorMixin, _NeuralEstimator):
    """A multi-layer perceptron for regression, as a scikit-learn estimator.

    The arguments are those of :class:`NeuralClassifier`. With ``standardize`` the target is scaled too, and
    predictions are scaled back.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> NeuralRegressor((16,), epochs=20, lr=0.01).fit(X, y).score(X, y) > 0.5
        True
    """

    _losses: ClassVar[tuple[str, ...]] = ("mse", "mae", "huber")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _validate(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, target = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True
        )
        is_matrix = target.ndim == 2 and target.shape[1] > 1
        return rows, target if is_matrix else column_or_1d(target, warn=True)

    def _encode(self, y: NDArray[Any]) -> tuple[NDArray[Any], int, NDArray[Any] | None]:
        self.is_multi_output_ = y.ndim == 2
        y = y.reshape(len(y), -1).astype(np.float64)
        self.target_mean_, self.target_scale_ = _spread(y, self.standardize)
        scaled = (y - self.target_mean_) / self.target_scale_
        return scaled.astype(np.float32), y.shape[1], None

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return predictions, averaged over members, shape ``(N,)`` or ``(N, outputs)``."""
        scaled = self._outputs(X).mean(0).numpy()
        values = scaled * self.target_scale_ + self.target_mean_
        return values if self.is_multi_output_ else values[:, 0]

    def _description(self) -> dict[str, Any]:
        return {
            "target_mean": _plain(self.target_mean_),
            "target_scale": _plain(self.target_scale_),
            "is_multi_output": self.is_multi_output_,
        }


def _train_together(estimators: Sequence[_NeuralEstimator], jobs: Sequence[_Job]) -> None:
    """Train the networks of estimators of one kind as one computation."""
    first = estimators[0]
    if not first._is_stackable:
        for estimator, job in zip(estimators, jobs, strict=True):
            estimator._train_members(job)
        return
    seats = [(e, job, seed) for e, job in zip(estimators, jobs, strict=True) for seed in job.seeds]
    parts = [estimator._parts(job, seed) for estimator, job, seed in seats]
    replicas = train_replicas(
        lambda: first._build(jobs[0]),
        [train for train, _ in parts],
        validation=[held_out for _, held_out in parts] if first.early_stopping else None,
        loss=jobs[0].loss,
        optimizer=first.optimizer,
        lr=[default_lr(e.optimizer) if e.lr is None else e.lr for e, _, _ in seats],
        weight_decay=[estimator.weight_decay for estimator, _, _ in seats],
        schedule=first.schedule,
        epochs=first.epochs,
        batch_size=first.batch_size,
        clip_norm=first.clip_norm,
        clip_value=first.clip_value,
        early_stopping=EarlyStopping(patience=first.patience) if first.early_stopping else None,
        seed=[seed for _, _, seed in seats],
    )
    for (estimator, job, seed), diverged in zip(seats, replicas.diverged, strict=True):
        if diverged:
            estimator._train(job, seed)  # which fails, and tells where and why
    networks, histories = iter(replicas.models), iter(replicas.histories)
    for estimator, job in zip(estimators, jobs, strict=True):
        count = len(job.seeds)
        estimator._keep(list(islice(networks, count)), list(islice(histories, count)))


def _spread(values: NDArray[Any], is_wanted: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Mean and standard deviation of every column, 0 and 1 if not wanted; a constant column is left unscaled."""
    if not is_wanted:
        return np.zeros(values.shape[1]), np.ones(values.shape[1])
    mean, deviation = values.mean(0), values.std(0)
    rounding = 10 * np.finfo(values.dtype).eps * np.abs(mean)
    return mean, np.where(deviation <= rounding, 1.0, deviation)


def _plain(value: Any) -> Any:
    """Turn NumPy values into what JSON can hold."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _typed(classes: list[Any], dtype: str) -> NDArray[Any]:
    """Classes in the type they had; texts in no more room than they need, whatever a folder says."""
    kind = np.dtype(dtype).kind
    return np.array(classes, dtype=kind if kind in "US" else dtype)


def from_folder(description: dict[str, Any], tensors: dict[str, Tensor]) -> _NeuralEstimator:
    """Rebuild a saved estimator."""
    kinds = {"NeuralClassifier": NeuralClassifier, "NeuralRegressor": NeuralRegressor}
    parameters = description["parameters"]
    if "learning_rate" in parameters:  # the name it had in an earlier version
        parameters = {**parameters, "lr": parameters["learning_rate"]}
        del parameters["learning_rate"]
    if not all(tensor.isfinite().all() for tensor in tensors.values()):
        raise InvalidValue("load_model: the weights of the estimator must be finite, and are not.")
    estimator = kinds[description["estimator"]](**parameters)
    estimator.n_features_in_ = description["features"]
    if description["feature_names"] is not None:
        estimator.feature_names_in_ = np.array(description["feature_names"], dtype=object)
    estimator.mean_, estimator.scale_ = tensors["mean"].numpy(), tensors["scale"].numpy()
    estimator.networks_, estimator.histories_ = [], [History(h) for h in description["histories"]]
    for i in range(len(estimator.histories_)):
        prefix = f"network.{i}."
        weights = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
        network = restore("load_model", description["architecture"], weights)
        assert isinstance(network, MLP)
        estimator.networks_.append(network.eval())
    estimator.history_ = estimator.histories_[0]
    if isinstance(estimator, NeuralClassifier):
        estimator.classes_ = _typed(description["classes"], description["classes_dtype"])
    else:
        estimator.is_multi_output_ = description["is_multi_output"]
        estimator.target_mean_ = np.array(description["target_mean"])
        estimator.target_scale_ = np.array(description["target_scale"])
    return estimator
