"""What classifier and regressor share: settings, scaled inputs, averaged networks, a folder."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
from torch import Tensor

from gradatim.errors import choose, require
from gradatim.estimators.members import (
    Job,
    Members,
    group_alike,
    train_members,
    train_together,
)
from gradatim.losses import Loss
from gradatim.model_folder import save_model
from gradatim.models import describe
from gradatim.training.row_weights import check_weights

_CHUNK = 4096  # rows per prediction


@dataclass(eq=False, repr=False)
class NeuralEstimator(BaseEstimator, ABC):
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
    def _encode(
        self, y: NDArray[Any], weight: NDArray[Any] | None
    ) -> tuple[NDArray[Any], int, NDArray[Any] | None]:
        """Return the target a network learns, its number of outputs, and the strata of ``y``."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on ``X`` of shape ``(N, features)`` and ``y``, whose rows may weigh; weights of 0 leave rows out."""
        return self._keep(train_members(self, self._prepare(X, y, sample_weight)))

    @staticmethod
    def fit_replicas(
        estimators: Sequence["NeuralEstimator"], parts: Sequence[tuple[ArrayLike, ...]]
    ) -> None:
        """Fit each estimator to its pair ``(X, y)``, or to ``(X, y, sample_weight)``; equal networks train as one computation.

        The result is that of ``estimator.fit(X, y)`` for each, to rounding. Estimators may differ in
        ``lr``, ``weight_decay``, ``seed``, ``members`` and data within one computation; those
        that differ in more make one computation each.
        """
        jobs = [e._prepare(*part) for e, part in zip(estimators, parts, strict=True)]
        for places in group_alike(estimators, jobs):
            trained = train_together([estimators[i] for i in places], [jobs[i] for i in places])
            for i, members in zip(places, trained, strict=True):
                estimators[i]._keep(members)

    def _prepare(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Job:
        rows, labels = self._validate(X, y)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, rows, dtype=np.float64)  # fmt: skip
        if weight is not None:
            check_weights(self._name, "sample_weight", weight, len(rows))
            rows, labels, weight = (values[weight > 0] for values in (rows, labels, weight))
        target, outputs, strata = self._encode(labels, weight)
        self.mean_, self.scale_ = spread(rows, self.standardize, weight)
        weight = self._weigh(target, weight)
        inputs = ((rows - self.mean_) / self.scale_).astype(np.float32)
        require(self.members >= 1, f"{self._name}: members must be at least 1", self.members)
        self._check_used()
        loss = self._losses[0] if self.loss is None else self.loss
        if isinstance(loss, str):
            choose(self._name, "loss", loss, self._losses)
        rng = check_random_state(self.random_state) if self.random_state is not None else None
        first = self.seed if rng is None else int(rng.randint(2**31 - 1))
        seeds = range(first, first + self.members)
        return Job(inputs, target, outputs, loss, strata, seeds, weight)

    def _weigh(self, target: NDArray[Any], weight: NDArray[Any] | None) -> NDArray[Any] | None:
        """The weight of every row, that of its class included."""
        return weight

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
                require(holds or value == getattr(NeuralEstimator, name), rule, repr(value))

    def _keep(self, members: Members) -> Self:
        self.networks_, self.histories_ = members
        self.history_ = self.histories_[0]
        return self

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
            "parameters": plain(parameters),
            "architecture": describe(self.networks_[0]),
            "features": int(self.n_features_in_),
            "feature_names": plain(getattr(self, "feature_names_in_", None)),
            "histories": [history.records for history in self.histories_],
            **self._description(),
        }
        return save_model(folder, "estimator", description, tensors)

    @abstractmethod
    def _description(self) -> dict[str, Any]:
        """What the kind of estimator must keep beyond the networks."""


def spread(values: NDArray[Any], is_wanted: bool, weight: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[Any]]:  # fmt: skip
    """Mean and standard deviation of every column, 0 and 1 if not wanted; a constant column is left unscaled."""
    if not is_wanted:
        return np.zeros(values.shape[1]), np.ones(values.shape[1])
    if weight is None:
        mean, deviation = values.mean(0), values.std(0)
    else:
        mean = np.average(values, axis=0, weights=weight)
        deviation = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weight))
    rounding = 10 * np.finfo(values.dtype).eps * np.abs(mean)
    return mean, np.where(deviation <= rounding, 1.0, deviation)


def plain(value: Any) -> Any:
    """Turn NumPy values into what JSON can hold."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return list(value) if isinstance(value, tuple) else value
