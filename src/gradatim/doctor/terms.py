"""Terms of the loss over all samples: what they compare, and the loss of the best constant prediction for it."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gradatim.doctor.facts import Loss, Target
from gradatim.doctor.graph import Compared, chain_below, is_crossed
from gradatim.doctor.pairing import Pairs

MOST_VALUES = 20_000  # of the targets, kept for medians
MOST_COLUMNS = 4096
MOST_TERMS = 24
IMAGES = {"relu": (0.0, math.inf), "tanh": (-1.0, 1.0), "sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0)}  # fmt: skip


class Targets:
    """Running figures of the targets of one term."""

    def __init__(self) -> None:
        self.counts = np.zeros(0)
        self.weight: np.ndarray | None = None
        self.number = 0
        self.sum: np.ndarray | None = None
        self.square: np.ndarray | None = None
        self.values: list[np.ndarray] = []
        self.kept = 0
        self.low, self.high = math.inf, -math.inf
        self.kind, self.dtype, self.shape = "unknown", "", list[int]()

    def add(self, target: Tensor, weight: Tensor | None, operation: str) -> None:
        """Take in the targets of a sample."""
        values = target.detach()
        self.dtype, self.shape = str(values.dtype).removeprefix("torch."), list(values.shape)
        if weight is not None and (weight.dim() == 1 or operation.endswith("logits")):
            self.weight = weight.detach().cpu().double().numpy()
        if not values.numel():
            return
        if not values.dtype.is_floating_point and operation in {"cross_entropy", "nll_loss", "nll by hand"}:  # fmt: skip
            self._classes(values.reshape(-1))
            return
        flat = values.reshape(values.shape[0], -1)[:, :MOST_COLUMNS].double()
        self.kind = "probabilities" if operation in {"cross_entropy", "kl_div"} else "numbers"
        self.low, self.high = min(self.low, float(flat.min())), max(self.high, float(flat.max()))
        total, square = flat.sum(0).cpu().numpy(), (flat**2).sum(0).cpu().numpy()
        if self.sum is None or self.sum.shape != total.shape:
            self.number, self.sum, self.square = 0, np.zeros_like(total), np.zeros_like(total)
        self.number += len(flat)
        self.sum, self.square = self.sum + total, self.square + square
        if self.kept < MOST_VALUES:
            part = flat.reshape(-1)[:2000].cpu().numpy().copy()
            self.values.append(part)
            self.kept += len(part)

    def _classes(self, values: Tensor) -> None:
        self.kind = "classes"
        values = values[values >= 0]
        if not values.numel():
            return
        counts = torch.bincount(values, minlength=len(self.counts)).cpu().numpy().astype(float)
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        seen = np.flatnonzero(counts)
        self.low, self.high = float(seen[0]), float(seen[-1])

    def describe(self, operation: str) -> Target:
        """The targets as facts."""
        target = Target(self.kind, self.dtype, self.shape, self.low, self.high)
        if self.kind == "classes":
            target.classes = int((self.counts > 0).sum())
            target.majority = (
                float(self.counts.max() / self.counts.sum()) if target.classes else 0.0
            )
        elif self.values:
            values = np.concatenate(self.values)
            distinct = np.unique(values[np.isfinite(values)])
            if len(distinct) <= 50 and np.equal(distinct, np.round(distinct)).all():
                target.classes = len(distinct)
            target.spread = float(values.std())
        target.constant_loss = self._constant(operation)
        return target

    def _constant(self, operation: str) -> float | None:
        if self.kind == "classes":
            counts = self.counts.copy()
            if self.weight is not None and len(self.weight) >= len(counts):
                counts *= self.weight[: len(counts)]
            return entropy(counts / counts.sum()) if counts.sum() > 0 else None
        if self.sum is None or not self.number or not np.isfinite(self.sum).all():
            return None
        mean = self.sum / self.number
        if operation == "cross_entropy":
            return entropy(mean / max(mean.sum(), 1e-12))
        if operation.startswith("binary_cross_entropy"):
            q, more = np.clip(mean, 1e-12, 1 - 1e-12), 1.0 if self.weight is None else self.weight
            p = more * q / (more * q + 1 - q)  # positives count for more
            return float(-(more * q * np.log(p) + (1 - q) * np.log(1 - p)).mean()) if self.low >= 0 and self.high <= 1 else None  # fmt: skip
        if operation in {"mse_loss", "squares by hand"} and self.square is not None:
            return float(np.maximum(self.square / self.number - mean**2, 0).mean())
        return self._robust(operation)

    def _robust(self, operation: str) -> float | None:
        values = np.concatenate(self.values)
        distance = np.abs(values - np.median(values))
        if operation in {"l1_loss", "distances by hand"}:
            return float(distance.mean())
        if operation in {"smooth_l1_loss", "huber_loss"}:
            return float(np.where(distance < 1, distance**2 / 2, distance - 0.5).mean())
        return None


def entropy(shares: np.ndarray) -> float:
    """Entropy of shares, in nats.

    >>> round(entropy(np.array([0.5, 0.5])), 4)
    0.6931
    """
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())


class Terms:
    """All terms that were seen, by what they are."""

    def __init__(self) -> None:
        self.losses: dict[tuple[Any, ...], Loss] = {}
        self.targets: dict[tuple[Any, ...], Targets] = {}
        self.whole = True
        self.pairs = Pairs()
        self.phase = 0

    def new_phase(self) -> None:
        """Another model, or another loss, is trained from now on."""
        self.phase += 1
        self.pairs, self.whole = Pairs(), True

    def add(self, term: Compared, layers: dict[Any, tuple[str, str]], made: Any) -> Loss | None:
        """Take in a term of a sampled step."""
        chain = term.chain or chain_below(term.below, layers)
        key = (term.operation, self.phase, term.reduction, term.sign, *(o.name for o in chain))
        if key not in self.losses:
            if len(self.losses) >= MOST_TERMS:
                self.pairs.add(key, term.scale, None, term.operation, weighted=False)
                return None
            self.losses[key] = Loss(term.operation, term.place.file, term.place.line, list(term.above), chain, term.sign, reduction=term.reduction, phase=self.phase)  # fmt: skip
            self.losses[key].made, self.losses[key].negated = term.made, term.negated
            self.targets[key] = Targets()
            self._lines(self.losses[key], made)
        loss = self.losses[key]
        loss.seen += 1
        loss.scale = term.scale
        if term.broadcast:
            loss.broadcast = term.broadcast
        self.pairs.add(
            key, term.scale, term.target, term.operation, weighted=term.weight is not None
        )
        if term.target is not None:
            self.targets[key].add(term.target, term.weight, term.operation)
        if term.input is not None:
            self._look(loss, term)
        return loss

    @staticmethod
    def _lines(loss: Loss, made: Any) -> None:
        """A layer's own line is better than the line that called the model; that of an activation's call is as good."""
        for operation in loss.below:
            if operation.is_called and operation.name in {*IMAGES, "logsoftmax"}:
                continue
            place = made(operation.layer) if operation.layer else None
            if place is not None and place.line is not None:
                operation.file, operation.line = place.file, place.line

    def _look(self, loss: Loss, term: Compared) -> None:
        given, target = term.input, term.target
        assert given is not None
        given = given.detach()
        loss.shape = list(given.shape)
        if not given.numel() or not given.dtype.is_floating_point:
            return
        low, high = (float(x) for x in torch.aminmax(given))
        loss.low = low if math.isnan(loss.low) else min(loss.low, low)
        loss.high = high if math.isnan(loss.high) else max(loss.high, high)
        if given.dim() >= 2 and loss.operation in {"nll_loss", "kl_div", "cross_entropy"}:
            self._sums(loss, given)
        rows = given.reshape(given.shape[0], -1)
        if len(rows) > 1:
            loss.spread = float(rows.float().std(0).mean())
            if math.isnan(loss.first_spread):
                loss.first_spread = loss.spread
        if target is None:
            return
        if loss.operation in {"cross_entropy", "nll_loss", "nll by hand"} and given.dim() >= 2:
            self._judge(loss, given, target)
        elif target.shape != given.shape and loss.operation in {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}:  # fmt: skip
            result = list(torch.broadcast_shapes(given.shape, target.shape))
            if is_crossed(list(given.shape), result) or math.prod(result) > max(given.numel(), target.numel()):  # fmt: skip
                loss.broadcast = [list(given.shape), list(target.shape), result]
        self._reach(loss, target)

    @staticmethod
    def _sums(loss: Loss, given: Tensor) -> None:
        sums = given.sum(1) if given.dim() > 1 else given
        exponentials = given.clamp(max=50).exp().sum(1)
        if loss.operation == "kl_div":
            sums, exponentials = given.sum(-1), given.clamp(max=50).exp().sum(-1)
        for name, value in (("row_sum", sums), ("exp_row_sum", exponentials)):
            error, before = float((value - 1).abs().max()), getattr(loss, name)
            setattr(loss, name, error if math.isnan(before) else max(before, error))

    @staticmethod
    def _judge(loss: Loss, given: Tensor, target: Tensor) -> None:
        loss.label_width = given.shape[1]
        if target.dtype.is_floating_point or given.dim() != 2 or target.dim() != 1 or given.shape[0] != target.shape[0]:  # fmt: skip
            return
        guesses = given.argmax(1)
        loss.accuracy.append(float((guesses == target).float().mean()))
        counts = torch.bincount(guesses, minlength=1)
        loss.predicted_majority = float(counts.max()) / max(len(guesses), 1)

    @staticmethod
    def _reach(loss: Loss, target: Tensor) -> None:
        first = next((o.name for o in loss.below if o.name in IMAGES), None)
        if first is None or not target.dtype.is_floating_point:
            return
        low, high = IMAGES[first]
        slack = 1e-6
        outside = (target < low - slack) | (target > high + slack)
        loss.outside = float(outside.float().mean())

    def describe(self) -> list[Loss]:
        """The terms as facts, the most frequent first."""
        for key, loss in self.losses.items():
            loss.target = self.targets[key].describe(loss.operation)
            loss.accuracy = loss.accuracy[:8] + loss.accuracy[8:][-24:]
        return sorted(self.losses.values(), key=lambda loss: -loss.seen)
