"""How a model folder holds what was fitted: plain facts as JSON, arrays and weights as tensors."""

import json
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from torch import Tensor, nn

from gradatim.data.tokenizers import Tokenizer, rebuild_tokenizer
from gradatim.errors import InvalidValue, choose, require
from gradatim.fitting.predicting import RECOMMENDED, one_row
from gradatim.model_folder import gather_tensors, save_model, tensors_of
from gradatim.models import describe
from gradatim.models.restoring import restore
from gradatim.wording import shorten

if TYPE_CHECKING:
    from gradatim.fitting.calibration import Calibration

Facts = dict[str, Any]
LONGEST = 100_000  # steps or tokens that a folder may ask for
INTERVAL = "interval of "  # begins the names of tensors that tell how far a model may be wrong
INFINITE = "threshold"  # of leaves of trees: every value is below it


def arrays_from(tensors: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
    """Undo :func:`gradatim.model_folder.tensors_from`."""
    return {name: tensor.numpy() for name, tensor in tensors.items()}


def restore_network(facts: Facts, tensors: Mapping[str, Tensor]) -> nn.Module:
    """Rebuild a network in evaluation mode; weights of another one are refused by name.

    Args:
        facts: What :func:`gradatim.models.describe` said of it.
        tensors: Its weights.
    """
    return restore("load_model", facts, tensors).eval()


def whole(facts: Facts, name: str, most: int) -> int:
    """A size that a folder states; one that no folder of ours has would ask for any memory or time.

    Args:
        facts: What the folder says.
        name: Which of it.
        most: The largest that may be.

    Example:
        >>> whole({"depth": 10**9}, "depth", 31)
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: load_model: depth must be a whole number from 0 to 31, got 1000000000.
    """
    size = facts[name]
    is_whole = isinstance(size, int) and not isinstance(size, bool) and 0 <= size <= most
    require(is_whole, f"load_model: {name} must be a whole number from 0 to {most}", shorten(repr(size), 40))  # fmt: skip
    return int(size)


def is_finite(tensors: Mapping[str, Tensor]) -> bool:
    """Whether all numbers of a model are finite, but for those that mean to be infinite.

    >>> is_finite({"weight": Tensor([1.0, float("nan")])}), is_finite({"threshold": Tensor([float("inf")])})
    (False, True)
    """
    return all(
        not t.isnan().any() if name.endswith(INFINITE) else t.isfinite().all()
        for name, t in tensors.items()
        if t.is_floating_point() or t.is_complex()
    )


def check_decisions(decisions: Any, classes: int) -> None:
    """Refuse decisions of a folder that are no weights of its classes and no costs of mistakes.

    Example:
        >>> check_decisions({"network": [0.1, -1.0]}, 2)
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: load_model: decisions must be weights of 2 classes or costs of mistakes, got others.
    """
    rule = f"load_model: decisions must be weights of {classes} classes or costs of mistakes"
    require(isinstance(decisions, dict), rule, "others")
    for decision in decisions.values():
        try:
            values = np.asarray(decision, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.empty(0)
        is_sound = values.shape in ((classes,), (classes, classes)) and bool((np.isfinite(values) & (values >= 0)).all())  # fmt: skip
        require(classes and is_sound, rule, "others")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StoredModel(ABC):
    """Fitted models by name, with everything that turns the user's data into predictions.

    A kind of data says what is its own: ``folder_kind``, ``members`` and ``own``, and where that is not plain data
    :meth:`facts` and :meth:`arguments`.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        decisions: How models say a class, by name: weights of the classes, or what mistakes cost; the likeliest by default.
        intervals: How far models may be wrong, by name.
    """

    folder_kind: ClassVar[str]
    # classes of its models, told apart by ``kind``, the last for kinds of no other: ``store`` gives plain facts and
    # tensors, ``restore`` undoes it, ``parameters`` counts the numbers
    members: ClassVar[tuple[type[Any], ...]]
    own: ClassVar[tuple[str, ...]]  # fields that are plain data

    models: dict[str, Any]
    recommended: str
    about: dict[str, Any]
    decisions: dict[str, Any] = field(default_factory=dict)
    intervals: "dict[str, Calibration]" = field(default_factory=dict)

    def decision(self, model: str = RECOMMENDED) -> np.ndarray | None:
        """How a model says a class, as in :func:`~gradatim.evaluation.judged.decide_classes`."""
        found = self.decisions.get(self.choose(model))
        return None if found is None else np.asarray(found, dtype=np.float64)

    def choose(self, model: str = RECOMMENDED) -> str:
        """The name of the model that ``model`` stands for."""
        name = self.recommended if model == RECOMMENDED else model
        return choose("predict", "model", name, self.models)

    def fitted(self, model: str = RECOMMENDED) -> Any:
        """The model called ``model``."""
        return self.models[self.choose(model)]

    def facts(self) -> Facts:
        """What this kind adds to the description, as plain data."""
        return {name: getattr(self, name) for name in self.own}

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`; tensors that belong to no model are taken out of ``tensors``."""
        return {name: description[name] for name in cls.own}

    def tensors(self) -> dict[str, Tensor]:
        """All tensors, as ``model/name``."""
        parts = {name: model.store()[1] for name, model in self.models.items()}
        return gather_tensors(parts | {f"{INTERVAL}{n}": own.store()[1] for n, own in self.intervals.items()})  # fmt: skip

    @property
    def num_features(self) -> int:
        """Features of a row that intervals may depend on."""
        return 0

    def restore_intervals(self, facts: Facts, tensors: Mapping[str, Tensor]) -> "dict[str, Calibration]":  # fmt: skip
        """Undo how :meth:`save` writes how far models may be wrong.

        Args:
            facts: By name of a model.
            tensors: Of the whole folder.
        """
        from gradatim.fitting.calibration import Calibration

        require(isinstance(facts, dict), "load_model: intervals must be given by model", "others")
        known = {name: own for name, own in facts.items() if name in self.models}
        return {name: Calibration.restore(own, tensors_of(f"{INTERVAL}{name}", tensors), self.num_features) for name, own in known.items()}  # fmt: skip

    def calibration(self, model: str, coverage: float) -> "Calibration":
        """How far a model may be wrong, once it can promise that much.

        Args:
            model: Its name.
            coverage: Share of new cases.
        """
        name = self.choose(model)
        if name not in self.intervals:
            raise InvalidValue(
                f"predict: coverage must be left out for {shorten(repr(name), 40)}, of whose errors the folder knows nothing, "
                f"got {coverage}. Models that predict a target of tables, texts, images, sequences or graphs know them, once fitted by this version."
            )
        self.intervals[name].radius(coverage)
        return self.intervals[name]

    def interval_tables(self, data: Any, model: str, notes: list[str], coverage: float) -> Iterator[pd.DataFrame]:  # fmt: skip
        """Yield tables of predictions with ``low`` and ``high``, or ``set``, as ``prediction_tables`` does without.

        Args:
            data: What the model is for.
            model: ``"recommended"`` or the name of a model in the folder.
            notes: Collects what could not be used as it was.
            coverage: Share of new cases that an interval or a set holds.
        """
        own, labels = self.calibration(model, coverage), getattr(self, "labels", [])
        for table in self.prediction_tables(data, model, notes):
            yield own.add(table, labels, coverage, decision=self.decision(model))

    def predict_interval(self, data: Any, *, coverage: float = 0.9, model: str = RECOMMENDED) -> pd.DataFrame:  # fmt: skip
        """Return predictions with intervals that hold the value, or sets that hold the class, of a share of new cases.

        Args:
            data: What the model is for, as :func:`gradatim.predict` takes it; a mapping is one row of a table.
            coverage: The share, on the average over new cases that are drawn as those of training were.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.

        Returns:
            ``prediction`` with ``low`` and ``high``; or with ``set``, a list of classes, and the probabilities.
        """
        notes: list[str] = []
        rows = one_row(data) if isinstance(data, Mapping) else data
        table = pd.concat(self.interval_tables(rows, model, notes, coverage), ignore_index=True)
        for sentence in notes:
            warnings.warn(sentence, stacklevel=2)
        return table.assign(set=table["set"].map(json.loads)) if "set" in table else table

    @abstractmethod
    def prediction_tables(self, data: Any, model: str, notes: list[str]) -> Iterator[pd.DataFrame]:
        """Yield tables of predictions, piece by piece; ``notes`` collects what could not be used as it was."""

    @abstractmethod
    def rehearsal(self, model: str) -> np.ndarray:
        """What a model says of made-up data, in the shape that it must have, else an error."""

    def rehearse(self) -> None:
        """Use every model once, so that parts which do not fit each other are noticed while the folder is read."""
        with np.errstate(all="ignore"):
            for name in self.models:
                is_finite = bool(np.isfinite(self.rehearsal(name)).all())
                require(is_finite, f"load_model: what {shorten(repr(name), 40)} predicts must be finite", "other numbers")  # fmt: skip

    def save(self, folder: str | Path, extra: Mapping[str, bytes] | None = None) -> Path:
        """Write a model folder that :func:`gradatim.load_model` reads."""
        description = {
            **self.facts(),
            "recommended": self.recommended,
            "models": {name: model.store()[0] for name, model in self.models.items()},
            "about": self.about,
            **({"decisions": self.decisions} if self.decisions else {}),
            **(
                {"intervals": {n: own.store()[0] for n, own in self.intervals.items()}}
                if self.intervals
                else {}
            ),
        }
        return save_model(folder, self.folder_kind, description, self.tensors(), extra)

    @classmethod
    def from_folder(cls, description: Facts, tensors: Mapping[str, Tensor]) -> Self:
        """Rebuild what :meth:`save` wrote; models whose numbers are not finite are left out, and needed ones refused."""
        left = dict(tensors)
        own = cls.arguments(description, left)
        models = {}
        for name, facts in description["models"].items():
            if not is_finite(tensors_of(name, left)):
                continue
            member = next((m for m in cls.members if getattr(m, "kind", None) == facts["kind"]), cls.members[-1])  # fmt: skip
            models[name] = member.restore(facts, tensors_of(name, left))
        shared = {name: description[name] for name in ("recommended", "about")}
        if shared["recommended"] not in models:
            raise InvalidValue(f"load_model: the weights of {shared['recommended']!r} must be there and finite, and are not.")  # fmt: skip
        decisions = description.get("decisions", {})
        model = cls(**own, models=models, **shared, decisions=decisions)
        model.rehearse()
        model.intervals.update(model.restore_intervals(description.get("intervals", {}), left))
        check_decisions(decisions, len(getattr(model, "labels", [])))
        return model


@dataclass(eq=False, repr=False)
class StoredWriter(ABC):
    """A network that writes, and the tokenizer it was trained with.

    Args:
        network: A trained network.
        tokenizer: Cuts texts into its tokens.
        about: Plain facts: scores, verdict, data.
    """

    folder_kind: ClassVar[str]

    network: Any
    tokenizer: Tokenizer
    about: dict[str, Any] = field(kw_only=True)

    def save(self, folder: str | Path, extra: Mapping[str, bytes] | None = None) -> Path:
        """Write a model folder that :func:`gradatim.load_model` reads."""
        description = {
            "tokenizer": self.tokenizer.describe(),
            "network": describe(self.network),
            "about": self.about,
        }
        return save_model(folder, self.folder_kind, description, self.network.state_dict(), extra)

    @classmethod
    def from_folder(cls, description: Facts, tensors: Mapping[str, Tensor]) -> Self:
        """Rebuild what :meth:`save` wrote; weights of another network are refused by name."""
        if not is_finite(tensors):
            raise InvalidValue(
                "load_model: the weights of the network must be finite, and are not."
            )
        network = restore_network(description["network"], tensors)
        tokenizer = rebuild_tokenizer(description["tokenizer"])
        return cls(network, tokenizer, about=description["about"])
