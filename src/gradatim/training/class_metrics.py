"""Figures of merit that are no mean over rows: they add up or keep first, and divide at the end."""

from typing import Any

import torch
from torch import Tensor

from gradatim.errors import require
from gradatim.losses import align
from gradatim.losses.class_rows import class_rows
from gradatim.training.model_outputs import plain_output

IGNORED = -100  # the label that cross-entropy leaves out


def row_factors(values: Tensor, weight: Tensor) -> Tensor:
    """The weights of rows as factors of what stands in them.

    >>> row_factors(torch.zeros(2, 3), torch.tensor([1.0, 2.0]))
    tensor([[1., 1., 1.],
            [2., 2., 2.]])
    """
    return weight.to(values.dtype).view(-1, *[1] * (values.ndim - 1)).expand(values.shape)


def counted_labels(output: Any, target: Tensor, weight: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Logits, class numbers and weights of all rows and places that have a label; a place weighs as its row does."""
    logits, labels = logits_and_labels(output, target)
    if weight is None:
        return logits, labels, labels.new_ones(len(labels), dtype=torch.float64)
    is_known = target.flatten() != IGNORED if target.ndim == 1 or not target.is_floating_point() else None  # fmt: skip
    places = len(weight) if is_known is None else len(is_known)
    each = weight.double().repeat_interleave(places // len(weight))
    return logits, labels, each if is_known is None else each[is_known]


def logits_and_labels(output: Any, target: Tensor) -> tuple[Tensor, Tensor]:
    """Return logits ``(N, K)`` and class numbers ``(N,)`` of all rows and places that have a label.

    One logit is that of the second of two classes; probabilities stand for the likeliest class.

    >>> logits_and_labels(torch.tensor([[2.0], [-1.0]]), torch.tensor([1.0, 0.0]))
    (tensor([[ 0.,  2.],
            [ 0., -1.]]), tensor([1, 0]))
    """
    output = plain_output(output)
    if output.ndim == 1 or (output.ndim == 2 and output.shape[1] == 1):
        logit, label = output.flatten(), target.flatten()
        output = torch.stack([torch.zeros_like(logit), logit], 1)
        target = torch.where(label == IGNORED, IGNORED, (label > 0.5).long())
    elif target.dtype.is_floating_point and target.shape == output.shape:
        is_shared = bool(((target.sum(1) - 1).abs() <= 1e-2).all())
        rule = "metrics: targets of classes must be class numbers or probabilities that sum to 1"
        require(is_shared, rule, f"other sums in shape {tuple(target.shape)}", "Pass a function.")
        target = target.argmax(1)
    if output.ndim > 2:
        output, target = class_rows("metrics", output, target)
    if output.ndim > 2:  # (B, K, ...): classes last
        output = output.movedim(1, -1).flatten(0, -2)
    labels = target.flatten().long()
    rule = "metrics: target must hold one class for every row of logits"
    require(len(labels) == len(output), rule, f"{len(labels)} for {len(output)}")
    is_known = labels != IGNORED
    return output[is_known], labels[is_known]


class Hits:
    """Accuracy, the share of right classes, or error, that of wrong ones."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count: Tensor | float = 0.0
        self.hits: Tensor | float = 0.0

    def update(self, output: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
        logits, labels, counts = counted_labels(output, target, weight)
        self.hits = self.hits + counts[logits.argmax(1) == labels].sum()
        self.count = self.count + counts.sum()

    def compute(self) -> float:
        share = float(self.hits) / float(self.count) if self.count else float("nan")
        return share if self.name == "accuracy" else 1.0 - share


class PerClass:
    r"""Precision, recall or F1: of the second of two classes, the mean over classes of more.

    Macro F1 is the mean over classes of two as well, and balanced accuracy that of the recall of all classes there are.

    .. math:: P_k = \frac{TP_k}{TP_k + FP_k}, \qquad R_k = \frac{TP_k}{TP_k + FN_k}, \qquad
        F_k = \frac{2\,TP_k}{2\,TP_k + FP_k + FN_k}

    A class that is neither predicted nor there counts only if it is one of two, where the figure is 0.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.counts: Tensor | None = None  # hits, predictions and labels of every class, (3, K)

    def update(self, output: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
        logits, labels, each = counted_labels(output, target, weight)
        guesses, classes = logits.argmax(1), logits.shape[1]
        is_hit = guesses == labels
        pairs = ((labels[is_hit], each[is_hit]), (guesses, each), (labels, each))
        counts = torch.stack([t.bincount(w, minlength=classes) for t, w in pairs])
        self.counts = counts if self.counts is None else self.counts + counts

    def compute(self) -> float:
        if self.counts is None:
            return float("nan")
        hits, guessed, there = self.counts.double()
        if self.name == "balanced_accuracy":
            return float((hits / there)[there > 0].mean())
        total = {"precision": guessed, "recall": there}.get(self.name, (guessed + there) / 2)
        figures = hits / total.clamp(min=torch.finfo(total.dtype).tiny)
        if len(hits) == 2 and self.name != "macro_f1":
            return float(figures[1])
        return float(figures[guessed + there > 0].mean())


class AUC:
    r"""Area under the receiver operating characteristic.

    .. math:: \mathrm{AUC} = \frac{1}{n_+ n_-}\sum_{i\in+}\sum_{j\in-}
        \mathbb 1[z_i > z_j] + \tfrac12\,\mathbb 1[z_i = z_j]

    the probability that a row of the class scores above a row of another, by the sum of ranks. Of two classes it is
    that of the second; of more the mean over classes, each against the rest. Without rows of both kinds it is not a
    number. All scores are kept until the end.
    """

    name = "auc"

    def __init__(self) -> None:
        self.parts: list[tuple[Tensor, Tensor, Tensor]] = []

    def update(self, output: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
        self.parts.append(counted_labels(output, target, weight))

    def compute(self) -> float:
        if not self.parts:
            return float("nan")
        logits, labels, each = (torch.cat(parts) for parts in zip(*self.parts, strict=True))
        if logits.shape[1] == 2:
            return self._of(logits[:, 1].double() - logits[:, 0], labels == 1, each)
        scores = logits.double().softmax(1)
        areas = [self._of(scores[:, k], labels == k, each) for k in range(logits.shape[1])]
        return float(torch.tensor(areas).mean())

    def _of(self, scores: Tensor, is_positive: Tensor, each: Tensor) -> float:
        """Of one class against the rest."""
        order = scores.argsort(descending=True)
        is_last = torch.ones(len(scores), dtype=torch.bool, device=scores.device)
        is_last[:-1] = scores[order].diff() != 0
        hits, alarms = (
            (each * own)[order].cumsum(0)[is_last] for own in (is_positive, ~is_positive)
        )
        if not (hits[-1] > 0 and alarms[-1] > 0):
            return float("nan")
        return self.area(hits, alarms)

    @staticmethod
    def area(hits: Tensor, alarms: Tensor) -> float:
        """From the weight of right and of wrong rows above every threshold, the highest first."""
        start = hits.new_zeros(1)
        area = torch.trapezoid(torch.cat([start, hits]), torch.cat([start, alarms]))
        return float(area / (hits[-1] * alarms[-1]))


class AveragePrecision(AUC):
    r"""Area under the curve of precision over recall, by steps.

    .. math:: \mathrm{AP} = \sum_n (R_n - R_{n-1})\,P_n

    over the thresholds :math:`n` from the highest score down. Of two classes it is that of the second; of more the mean over
    classes, each against the rest. Without rows of both kinds it is not a number.
    """

    name = "average_precision"

    @staticmethod
    def area(hits: Tensor, alarms: Tensor) -> float:
        precision = hits / (hits + alarms).clamp(min=torch.finfo(hits.dtype).tiny)
        return float((hits.diff(prepend=hits.new_zeros(1)) * precision).sum() / hits[-1])


class _Mean:
    """A mean over the rows of all batches, NaN where there are none."""

    def __init__(self) -> None:
        self.total: Tensor | float = 0.0
        self.count: Tensor | float = 0.0

    def add(self, values: Tensor, weight: Tensor) -> None:
        self.total, self.count = self.total + (values * weight).sum(), self.count + weight.sum()

    def compute(self) -> float:
        return float(self.total) / float(self.count) if self.count else float("nan")


class RootMeanSquare(_Mean):
    r"""Square root of the mean squared error over all values, :math:`\sqrt{\frac1N\sum_i (f_i-y_i)^2}`."""

    name = "rmse"

    def update(self, output: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
        output = plain_output(output)
        gap = (output - align(output, target)).double()
        self.add(gap.square(), torch.ones_like(gap) if weight is None else row_factors(gap, weight))

    def compute(self) -> float:
        return super().compute() ** 0.5


class LogLoss(_Mean):
    r"""Mean negative log-probability of the true class, :math:`-\frac1N\sum_i \log p_{i y_i}`."""

    name = "log_loss"

    def update(self, output: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
        logits, labels, counts = counted_labels(output, target, weight)
        chosen = logits.double().log_softmax(1).gather(1, labels[:, None]).squeeze(1)
        self.add(-chosen, counts)
