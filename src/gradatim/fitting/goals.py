"""What candidates are trained for beside their usual aim: rows that weigh, a quantile, rare classes."""

from typing import NamedTuple

import numpy as np

from gradatim.evaluation.criteria import Criterion, usual_criterion
from gradatim.evaluation.decisions import is_decided, say_honestly
from gradatim.evaluation.judged import Judged
from gradatim.training.row_weights import BALANCED, class_factors, row_weights


class Goal(NamedTuple):
    """What candidates are trained for.

    Args:
        criterion: What decides, where something was asked for.
        weight: Of every row that is learned from; ``None`` where all weigh the same.
        costs: What saying a class (columns) costs where another is true (rows), where that is known.
    """

    criterion: Criterion | None = None
    weight: np.ndarray | None = None
    costs: np.ndarray | None = None

    @property
    def quantile(self) -> float | None:
        """The quantile that is best to predict: the one asked for, the median for absolute errors; ``None`` for the mean.

        Example:
            >>> Goal(Criterion("mae", "MAE")).quantile, Goal().quantile
            (0.5, None)
        """
        if self.criterion is None:
            return None
        return 0.5 if self.criterion.name == "mae" else self.criterion.level

    @property
    def wants_balance(self) -> bool:
        """Whether it is worth a try to let every class weigh the same."""
        return is_decided(self.criterion)

    def take(self, rows: np.ndarray) -> "Goal":
        """The same for some of the rows."""
        return self if self.weight is None else self._replace(weight=self.weight[rows])

    def loss(self, y: np.ndarray, output: np.ndarray, classes: int) -> float:
        """How bad predictions of these rows are, each class said as is best on other rows."""
        own, said = self.criterion or usual_criterion(classes), None
        if self.costs is None and self.wants_balance:
            said = say_honestly(own, y, output, self.weight)
        costs = self.costs
        return own.loss(Judged(y, output, classes, weight=self.weight, decision=costs, costs=costs, said=said))  # fmt: skip

    def weights(self, y: np.ndarray, *, is_balanced: bool) -> np.ndarray | None:
        """What rows weigh in a training, balanced or not."""
        return row_weights("fit", y, self.weight, BALANCED) if is_balanced else self.weight

    def undo_balance(self, y: np.ndarray, bias: np.ndarray) -> np.ndarray:
        r"""The biases of logits that were learned with balanced classes, for the classes as they are.

        Weights :math:`c_k` of classes make the odds of class :math:`k` :math:`c_k` times too large, so
        :math:`b_k - \log c_k` gives back probabilities, whose thresholds are those of any other model.

        Args:
            y: Class codes that were learned from.
            bias: Of every class.

        Example:
            >>> Goal().undo_balance(np.array([0, 0, 0, 1]), np.zeros(2)).round(4).tolist()
            [0.4055, -0.6931]
        """
        return bias - np.log(class_factors("fit", BALANCED, y, self.weight, range(len(bias))))

    def center(self, y: np.ndarray) -> float:
        """The best constant: the mean, or the quantile.

        Example:
            >>> Goal(weight=np.array([3.0, 1.0])).center(np.array([0.0, 4.0]))
            1.0
        """
        weight = np.ones(len(y)) if self.weight is None else self.weight
        if self.quantile is None:
            return float(np.average(y, weights=weight))
        order = np.argsort(y, kind="stable")
        sums = np.cumsum(weight[order])
        place = np.searchsorted(sums, self.quantile * sums[-1] * (1 - 1e-12))
        return float(y[order][place])
