r"""What scores rows, as plain arrays: no pickle, and the same bits for the same rows.

Five kinds suffice. *Constant* says the same of every row. *Rule* looks at every column alone: :math:`|z|` of a number,
:math:`\sqrt{-2\log p}` of a category of share :math:`p`, the largest counts. *Linear* compares some features with what a
linear map makes of all, :math:`r = x_P - b - (xD)U`, and averages :math:`(r_j/\sigma_j)^2`: principal components where all
features are compared, a forecast where the last step is. *Nearest* is the mean distance to the nearest training rows.
*Isolation* is :math:`2^{-E[h(x)]/c(n)}`, with the depth :math:`h` at which random trees part a row from others.

Every score is divided by a threshold that was found on held-out rows: above 1 is an alarm.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from torch import Tensor

from gradatim.errors import choose, require
from gradatim.evaluation import conformal_threshold
from gradatim.fitting.blocks import by_blocks
from gradatim.fitting.stored import Facts, arrays_from, whole
from gradatim.fitting.tables.predictors import Fitted, predict, rehearse
from gradatim.model_folder import tensors_from

BLOCK = 1024  # rows of one product
SMALLEST = 1e-9  # of a threshold: rows that are all alike have scores of rounding
FLOOR = 0.0025  # of the variance of a residual: a twentieth of a deviation is nothing strange


class Scoring(Protocol):
    """A fitted detector, simple or a network.

    Attributes:
        settings: Plain values, the ``threshold`` among them.
    """

    settings: dict[str, Any]

    @property
    def parameters(self) -> int:
        """Numbers stored."""

    def raw(self, X: np.ndarray) -> np.ndarray:
        """Return how odd rows are, shape ``(N,)``, in a unit of its own."""

    def blame(self, X: np.ndarray) -> np.ndarray:
        """Return how much each feature has to do with it, not negative, shape ``(N, F)``."""


def calibrate(detector: Scoring, X: np.ndarray, alarms: float) -> np.ndarray:
    """Set the threshold by held-out normal rows; where they are too few for the share asked, the smallest share possible.

    Returns:
        The scores of these rows.
    """
    raw = detector.raw(X)
    share = max(alarms, 1.0 / (len(raw) + 1))
    detector.settings["threshold"] = max(conformal_threshold(raw, share), SMALLEST)
    return raw / detector.settings["threshold"]


def score(detector: Scoring, X: np.ndarray) -> np.ndarray:
    """How odd rows are, in units of the threshold: above 1 is an alarm."""
    return detector.raw(X) / detector.settings["threshold"]


def check_threshold(settings: Mapping[str, Any]) -> None:
    """Refuse a threshold that no calibration gives."""
    value = settings.get("threshold")
    is_sound = isinstance(value, float) and SMALLEST <= value < float("inf")
    require(is_sound, "load_model: threshold must be a positive number", value)


@dataclass(eq=False)
class Detector:
    """A simple detector.

    Args:
        kind: ``"constant"``, ``"rule"``, ``"linear"``, ``"nearest"`` or ``"isolation"``.
        arrays: Everything learned.
        settings: Plain values.
    """

    kind: str
    arrays: dict[str, np.ndarray]
    settings: dict[str, Any]

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return sum(array.size for array in self.arrays.values())

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and everything learned."""
        return {"kind": self.kind, "settings": self.settings}, tensors_from(self.arrays)

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "Detector":
        """Undo :meth:`store`; sizes that do not belong to the arrays are refused."""
        fitted = cls(facts["kind"], arrays_from(tensors), dict(facts["settings"]))
        choose("load_model", "kind", fitted.kind, _KINDS)
        check_threshold(fitted.settings)
        if fitted.kind == "nearest":
            whole(fitted.settings, "neighbours", len(fitted.arrays["rows"]))
        if fitted.kind == "isolation":
            forest = {"kind": "trees", "classes": 0, "settings": {"depth": fitted.settings["depth"]}}  # fmt: skip
            Fitted.restore(forest, tensors)
        return fitted

    def raw(self, X: np.ndarray) -> np.ndarray:
        """How odd rows are, shape ``(N,)``."""
        return _KINDS[self.kind][0](self, X)

    def blame(self, X: np.ndarray) -> np.ndarray:
        """How much each feature has to do with it, shape ``(N, F)``."""
        return _KINDS[self.kind][1](self, X)

    def rehearse(self, X: np.ndarray) -> np.ndarray:
        """Scores of made-up rows, once no part can ask for features that there are not."""
        if self.kind == "isolation":
            rehearse(_forest(self), X.astype(np.float32))
        for name, most in {"numeric": X.shape[1], "places": X.shape[1], "first": X.shape[1], "group": len(self.arrays.get("base", ()))}.items():  # fmt: skip
            own = self.arrays.get(name, np.zeros(0, int))
            is_place = own.dtype.kind == "i" and bool(((own >= -(name == "group")) & (own < most)).all())  # fmt: skip
            require(is_place, f"load_model: {name} must be places among {most}", "others")
        blame = self.blame(X)
        require(blame.shape == X.shape, f"load_model: detectors must look at {X.shape[1]} features", blame.shape[1])  # fmt: skip
        return np.append(self.raw(X), blame.ravel())


def _no_raw(own: Detector, X: np.ndarray) -> np.ndarray:
    return np.zeros(len(X))


def _no_blame(own: Detector, X: np.ndarray) -> np.ndarray:
    return np.zeros(X.shape)


def _rule_blame(own: Detector, X: np.ndarray) -> np.ndarray:
    """Squares of the surprises: of a number at its own place, of a category at the first of its features."""
    a, blame = own.arrays, np.zeros(X.shape)
    blame[:, a["numeric"]] = X[:, a["numeric"]] ** 2
    marked = np.flatnonzero(a["group"] >= 0)
    if len(marked):
        told = np.zeros((len(X), len(a["base"])))
        for feature in marked.tolist():
            told[:, a["group"][feature]] += X[:, feature] * a["weight"][feature]
        blame[:, a["first"]] = np.maximum(a["base"] - told, 0.0) ** 2
    return blame


def _rule_raw(own: Detector, X: np.ndarray) -> np.ndarray:
    return np.sqrt(_rule_blame(own, X).max(1))


def _linear_blame(own: Detector, X: np.ndarray) -> np.ndarray:
    a = own.arrays

    def residuals(part: np.ndarray) -> np.ndarray:
        expected = a["bias"] + (part @ a["down"]) @ a["up"]
        return part[:, a["places"]] - expected

    blame = np.zeros(X.shape)
    blame[:, a["places"]] = (by_blocks(residuals, X, block=BLOCK) / a["scale"]) ** 2
    return blame


def _linear_raw(own: Detector, X: np.ndarray) -> np.ndarray:
    return _linear_blame(own, X)[:, own.arrays["places"]].mean(1)


def _neighbours(own: Detector, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean distance to the nearest training rows, and the mean of these rows."""
    rows, k = own.arrays["rows"].astype(np.float64), own.settings["neighbours"]
    squares = (rows**2).sum(1)

    def search(part: np.ndarray) -> np.ndarray:
        distance = (part**2).sum(1)[:, None] + squares - 2.0 * (part @ rows.T)
        near = np.argpartition(distance, k - 1, axis=1)[:, :k]
        reached = np.sqrt(np.maximum(np.take_along_axis(distance, near, 1), 0.0)).mean(1)
        return np.concatenate([reached[:, None], rows[near].mean(1)], axis=1)

    found = by_blocks(search, X, block=BLOCK)
    return found[:, 0], found[:, 1:]


def _nearest_raw(own: Detector, X: np.ndarray) -> np.ndarray:
    return _neighbours(own, X)[0]


def _nearest_blame(own: Detector, X: np.ndarray) -> np.ndarray:
    return (X - _neighbours(own, X)[1]) ** 2


def _forest(own: Detector) -> Fitted:
    arrays = {name: array for name, array in own.arrays.items() if name != "typical"}
    return Fitted("trees", 0, arrays, {"depth": own.settings["depth"]})


def _isolation_raw(own: Detector, X: np.ndarray) -> np.ndarray:
    # trees were grown on single precision; their leaves hold depths in units of the usual one
    return 2.0 ** -predict(_forest(own), X.astype(np.float32))


def _isolation_blame(own: Detector, X: np.ndarray) -> np.ndarray:
    """How much less odd a row is with the typical value in the place of one feature."""
    raw, blame = _isolation_raw(own, X), np.zeros(X.shape)
    for feature in np.unique(own.arrays["feature"]).tolist():
        other = X.copy()
        other[:, feature] = own.arrays["typical"][feature]
        blame[:, feature] = np.maximum(raw - _isolation_raw(own, other), 0.0)
    return blame


_KINDS = {
    "constant": (_no_raw, _no_blame),
    "rule": (_rule_raw, _rule_blame),
    "linear": (_linear_raw, _linear_blame),
    "nearest": (_nearest_raw, _nearest_blame),
    "isolation": (_isolation_raw, _isolation_blame),
}
