"""Figures of merit that are no mean over rows: they add up or keep first, and divide at the end."""

from typing import Any

import torch
from torch import Tensor

from gradatim.errors import require
from gradatim.losses import align
from gradatim.losses.class_rows import class_rows
from gradatim.training.model_outputs import plain_output

IGNORED = -100  # the label that cross-entropy leaves out


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
        self.name, self.count = name, 0
        self.hits: Tensor | int = 0

    def update(self, output: Tensor, target: Tensor) -> None:
        logits, labels = logits_and_labels(output, target)
        self.hits, self.count = (
            self.hits + (logits.argmax(1) == labels).sum(),
            self.count + len(labels),
        )

    def compute(self) -> float:
        share = int(self.hits) / self.count if self.count else float("nan")
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

    def update(self, output: Tensor, target: Tensor) -> None:
        logits, labels = logits_and_labels(output, target)
        guesses, classes = logits.argmax(1), logits.shape[1]
        hits = labels[guesses == labels]
        counts = torch.stack([t.bincount(minlength=classes) for t in (hits, guesses, labels)])
        self.counts = counts if self.counts is None else self.counts + counts

    def compute(self) -> float:
        if self.counts is None:
            return float("nan")
        hits, guessed, there = self.counts.double()
        if self.name == "balanced_accuracy":
            return float((hits / there)[there > 0].mean())
        total = {"precision": guessed, "recall": there}.get(self.name, (guessed + there) / 2)
        figures = hits / total.clamp(min=0.5)
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
        self.parts: list[tuple[Tensor, Tensor]] = []

    def update(self, output: Tensor, target: Tensor) -> None:
        logits, labels = logits_and_labels(output, target)
        self.parts.append((logits, labels))

    def compute(self) -> float:
        if not self.parts:
            return float("nan")
        logits, labels = (torch.cat(parts) for parts in zip(*self.parts, strict=True))
        if logits.shape[1] == 2:
            return self.area(logits[:, 1].double() - logits[:, 0], labels == 1)
        scores = logits.double().softmax(1)
        areas = [self.area(scores[:, k], labels == k) for k in range(logits.shape[1])]
        return float(torch.tensor(areas).mean())

    @staticmethod
    def area(scores: Tensor, is_positive: Tensor) -> float:
        """Of one class against the rest."""
        return _area(scores, is_positive)


class AveragePrecision(AUC):
    r"""Area under the curve of precision over recall, by steps.

    .. math:: \mathrm{AP} = \sum_n (R_n - R_{n-1})\,P_n

    over the thresholds :math:`n` from the highest score down. Of two classes it is that of the second; of more the mean over
    classes, each against the rest. Without rows of both kinds it is not a number.
    """

    name = "average_precision"

    @staticmethod
    def area(scores: Tensor, is_positive: Tensor) -> float:
        order = scores.argsort(descending=True)
        last = torch.cat([scores[order].diff() != 0, torch.ones(1, dtype=torch.bool, device=scores.device)])  # fmt: skip
        hits = is_positive[order].double().cumsum(0)[last]
        if not 0 < hits[-1] < len(scores):
            return float("nan")
        precision = hits / (1.0 + last.nonzero().flatten())
        return float((hits.diff(prepend=hits.new_zeros(1)) * precision).sum() / hits[-1])


def _area(scores: Tensor, is_positive: Tensor) -> float:
    _, place, counts = scores.unique(return_inverse=True, return_counts=True)
    # equal scores share the mean of their ranks
    ranks = (counts.cumsum(0).double() - (counts - 1) / 2.0)[place]
    positives = int(is_positive.sum())
    pairs = positives * (len(scores) - positives)
    if not pairs:
        return float("nan")
    return float(ranks[is_positive].sum() - positives * (positives + 1) / 2) / pairs


class _Mean:
    """A mean over the rows of all batches, NaN where there are none."""

    def __init__(self) -> None:
        self.total: Tensor | float = 0.0
        self.count = 0

    def add(self, total: Tensor, count: int) -> None:
        self.total, self.count = self.total + total, self.count + count

    def compute(self) -> float:
        return float(self.total) / self.count if self.count else float("nan")


class RootMeanSquare(_Mean):
    r"""Square root of the mean squared error over all values, :math:`\sqrt{\frac1N\sum_i (f_i-y_i)^2}`."""

    name = "rmse"

    def update(self, output: Tensor, target: Tensor) -> None:
        output = plain_output(output)
        gap = (output - align(output, target)).double()
        self.add(gap.square().sum(), gap.numel())

    def compute(self) -> float:
        return super().compute() ** 0.5


class LogLoss(_Mean):
    r"""Mean negative log-probability of the true class, :math:`-\frac1N\sum_i \log p_{i y_i}`."""

    name = "log_loss"

    def update(self, output: Tensor, target: Tensor) -> None:
        logits, labels = logits_and_labels(output, target)
        chosen = logits.double().log_softmax(1).gather(1, labels[:, None])
        self.add(-chosen.sum(), len(labels))
