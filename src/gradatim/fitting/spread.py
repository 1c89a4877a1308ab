r"""How far a model errs on a row, learned from errors on rows that it had not learned from.

.. math:: \hat\sigma(x) = \max\Bigl(\exp\bigl(\textstyle\sum_t f_t(\hat y(x), x)\bigr)^{\lambda},\ \sigma_0\Bigr)

A few small boosted trees :math:`f_t` of the logarithm of the expected error, by the deviance of a gamma distribution, on the
prediction and, where there are few, the features of a row. A power :math:`\lambda<1` believes half of what they say.

Reference:
    Papadopoulos et al., Normalized Nonconformity Measures for Regression Conformal Prediction, 2008.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from torch import Tensor

from gradatim.errors import choose, require
from gradatim.fitting.stored import Facts, is_finite
from gradatim.fitting.tables.candidates import quietly
from gradatim.fitting.tables.predictors import Fitted, predict, rehearse
from gradatim.fitting.tables.trees import tree_arrays

PREDICTION, FEATURES = "prediction", "features"  # what a spread may look at
MOST_FEATURES = 100  # of more, none is looked at
ROUNDS, RATE, LEAVES, LEAF_ROWS = 30, 0.1, 4, 20  # of the trees
FEWEST = 3 * LEAF_ROWS  # rows that a spread is learned from
SMALLEST = 0.05  # of the median spread
TINY = 1e-3  # of the median error, which an error counts at least
POWERS = (1.0, 0.5)


@dataclass(frozen=True, eq=False)
class Spread:
    r"""A learned spread.

    Args:
        trees: Boosted trees of the logarithm of the expected error.
        reads: ``"prediction"``, or ``"features"`` for these too.
        power: :math:`\lambda`.
        floor: The smallest spread, :math:`\sigma_0`.
    """

    trees: Fitted
    reads: str
    power: float
    floor: float

    def __call__(self, output: np.ndarray, features: np.ndarray | None) -> np.ndarray:
        """Return the spread of every row.

        Args:
            output: What the model says, shape ``(N,)``.
            features: Of the rows, shape ``(N, D)``, where the spread reads them.
        """
        return np.maximum(predict(self.trees, _inputs(self.reads, output, features)) ** self.power, self.floor)  # fmt: skip

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and everything learned."""
        facts, tensors = self.trees.store()
        return {"trees": facts, "reads": self.reads, "power": self.power, "floor": self.floor}, tensors  # fmt: skip

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor], features: int) -> "Spread":
        """Undo :meth:`store`; one that asks for other than there is is refused.

        Args:
            facts: Plain facts.
            tensors: Everything learned.
            features: Features that a row has.
        """
        choose("load_model", "reads", facts["reads"], [PREDICTION, FEATURES])
        power, floor = facts["power"], facts["floor"]
        is_sound = power in POWERS and isinstance(floor, float) and 0 < floor < float("inf")
        require(is_sound, "load_model: spread of errors must have a power and a positive floor", "others")  # fmt: skip
        trees = Fitted.restore(facts["trees"], tensors)
        is_sound = trees.kind == "trees" and not trees.classes and is_finite(tensors)
        require(is_sound, "load_model: spread of errors must be trees of finite values", "others")
        width = 1 + (features if facts["reads"] == FEATURES else 0)
        with np.errstate(all="ignore"):
            said = rehearse(trees, np.zeros((1, width)))
        require(bool(np.isfinite(said).all()), "load_model: spread of errors must be finite", "other numbers")  # fmt: skip
        return cls(trees, facts["reads"], power, floor)


def _inputs(reads: str, output: np.ndarray, features: np.ndarray | None) -> np.ndarray:
    return output[:, None] if reads == PREDICTION or features is None else np.column_stack([output, features])  # fmt: skip


def learn_trees(
    reads: str,
    error: np.ndarray,
    output: np.ndarray,
    features: np.ndarray | None,
    weight: np.ndarray | None = None,
) -> Fitted:
    """Learn how far a model errs.

    Args:
        reads: What the trees look at.
        error: How far it erred on rows that it had not learned from, not negative and not all 0.
        output: What it said of them.
        features: Of the rows, where they are looked at.
        weight: How much each row counts; all the same by default.
    """
    middle = float(np.median(error)) or float(error.max())
    trees = HistGradientBoostingRegressor(
        loss="gamma", max_iter=ROUNDS, learning_rate=RATE, max_leaf_nodes=LEAVES, min_samples_leaf=LEAF_ROWS,
        early_stopping=False, random_state=0,
    )  # fmt: skip
    with quietly():
        trees.fit(_inputs(reads, output, features), np.maximum(error, TINY * middle) / middle, sample_weight=weight)  # fmt: skip
    found = tree_arrays(trees, 0)
    arrays = {**found.arrays, "start": found.arrays["start"] + np.log(middle)}
    return Fitted(found.kind, 0, arrays, {**found.settings, "is_log": True})
