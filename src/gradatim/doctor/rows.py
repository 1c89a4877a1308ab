"""The rows that go into a model: which come again, their scale, and the order of their targets."""

import math

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.doctor.facts import Data, Place, Witness
from gradatim.doctor.identity import ByIdentity
from gradatim.doctor.marks import FEWEST_SEEN, MOST_ROWS, Group, Trained, as_rows, fingerprints
from gradatim.doctor.moments import Moments
from gradatim.doctor.signals import simple_scores

MOST_KEPT = 1500  # rows kept whole, for simple models
KEPT_COLUMNS = 256
FIRST_BATCHES = 2  # with which later ones are compared
MOST_GROUPS = 40  # evaluations that are told apart
MOST_BATCHES = 80  # whose targets are kept


class Rows:
    """Everything that is known of training and validation rows."""

    def __init__(self) -> None:
        self.training: set[int] = set()
        self.trained: ByIdentity[nn.Module, Trained] = ByIdentity()
        self.last: set[int] = set()
        self.groups: dict[tuple[int | None, int], Group] = {}
        self.moments = Moments()
        self.data = Data()
        self.seen = 0
        self.targets: list[np.ndarray] = []
        self.kept: list[tuple[np.ndarray, np.ndarray]] = []
        self.kept_count = 0
        self._told: dict[int, float] = {}  # the target of a row
        self._again = self._moved = self._same = 0
        self._first: list[set[int]] = []
        self.bad = Witness()
        self.available = 0

    def train(self, rows: Tensor, target: Tensor | None, place: Place, step: int, model: nn.Module) -> None:  # fmt: skip
        """Take in the inputs of a sampled step of a model."""
        data, rows = self.data, as_rows(rows)
        data.kind = kind_of(rows)
        data.place = place
        data.batches += 1
        if len(data.batch_sizes) < 200:
            data.batch_sizes.append(rows.shape[0])
        self.seen += rows.shape[0]
        found = fingerprints(rows)
        self.last = set(found)
        if len(self._first) < FIRST_BATCHES and self.last not in self._first:
            self._first.append(self.last)
        self._same += self.last in self._first
        if (
            target is not None
            and target.dtype.is_floating_point
            and target.shape[:1] == rows.shape[:1]
        ):
            self._compare(found, target)
        if len(self.training) < MOST_ROWS:
            self.training.update(self.last)
        self.trained.setdefault(model, Trained()).add(self.last)
        if rows.dtype.is_floating_point:
            self._check(rows, "inputs", place, step)
            if data.batches <= 40:
                self.moments.add(rows)
        if target is not None and target.numel() and target.shape[:1] == rows.shape[:1]:
            self._targets(rows, target, place, step)

    def _compare(self, marks: list[int], target: Tensor) -> None:
        """Whether a row that comes again has the target it had: where a network makes the targets, they move."""
        values = target.detach().reshape(target.shape[0], -1)[:, 0].tolist()
        for mark, value in zip(marks, values, strict=True):
            before = self._told.get(mark)
            if before is not None:
                self._again += 1
                self._moved += before != value
            elif len(self._told) < MOST_KEPT:
                self._told[mark] = value

    @property
    def has_moving_targets(self) -> bool:
        """Rows that come again mostly have another target than before."""
        return self._again >= 10 and 2 * self._moved > self._again

    def new_phase(self) -> None:
        """What is learned from now on, in fine-tuning, is what evaluations are compared with."""
        self.trained = ByIdentity()

    def _targets(self, rows: Tensor, target: Tensor, place: Place, step: int) -> None:
        if target.dtype.is_floating_point:
            self._check(target, "targets", place, step)
        flat = target.detach().reshape(target.shape[0], -1)
        if flat.shape[1] == 1 and len(self.targets) < MOST_BATCHES:
            self.targets.append(flat[:256, 0].cpu().numpy().copy())
        if self.kept_count < MOST_KEPT and rows.dtype.is_floating_point and flat.shape[1] <= 16:
            wide = rows.detach().reshape(rows.shape[0], -1)
            wide = wide[:, :: max(1, math.ceil(wide.shape[1] / KEPT_COLUMNS))]
            self.kept.append((wide.float().cpu().numpy().copy(), flat.cpu().numpy().copy()))
            self.kept_count += rows.shape[0]

    def _check(self, values: Tensor, what: str, place: Place, step: int) -> None:
        if self.bad.seen or bool(torch.isfinite(values.detach().sum())):
            return
        finite = torch.isfinite(values.detach())
        if bool(finite.all()):
            return
        columns = (~finite).reshape(values.shape[0], -1).any(0).nonzero().flatten()
        column = float(columns[0]) if values.dim() == 2 else -1.0
        self.bad = Witness(1, 1, Place(place.file, place.line, None, step), {"column": column}, [what])  # fmt: skip

    def evaluated(self, place: Place, rows: int, group: Group) -> float:
        """Take in the rows of an evaluation, and return the share of them that the model was trained on."""
        if not group.marks:
            return 0.0
        overlap = self._of(group).judge(group, self.available)
        key = (place.line, rows)
        if key in self.groups:
            self.groups[key].merge(group)
        elif len(self.groups) < MOST_GROUPS:
            self.groups[key] = group
        return overlap

    def _of(self, group: Group) -> Trained:
        """What the model of an evaluation learned from; of one that never learned by itself, all rows."""
        model = group.owner() if group.owner is not None else None
        own = None if model is None else self.trained.get(model)
        if own is None:
            own = Trained()
            own.marks = self.training
        return own

    def _held_out(self) -> Group | None:
        """The rows of an evaluation that is not one of training rows, if there is any."""
        groups = [g for g in self.groups.values() if len(g.marks) >= 10]
        apart = [g for g in groups if g.overlap < 0.01]
        if apart:
            partly = [g for g in groups if 0.01 <= g.overlap < 0.5]
            return max(partly or apart, key=lambda g: len(g.marks))
        fewer = [g for g in groups if len(g.marks) < 0.9 * self._known(g)]
        return max(fewer, key=lambda g: len(g.marks), default=None)

    def _known(self, group: Group) -> float:
        """How many rows there are to learn from."""
        own = self._of(group)
        seen = max(own.seen(0), FEWEST_SEEN)
        return max(len(own.marks) / seen if own.seen(0) else 0.0, len(own.marks), self.available)

    def describe(self) -> Data:
        """The rows as facts."""
        data = self.data
        data.rows, data.distinct, data.available = self.seen, len(self.training), self.available
        if self.moments.count > 1:
            self._scale(data)
        data.same = self._same / max(data.batches, 1)
        data.moving = self.has_moving_targets
        if not data.moving:
            self._order(data)
        group = None if data.moving else self._held_out()
        if group is not None and self.training:
            data.validation_rows = len(group.marks)
            data.overlap, data.few_valued = group.overlap, group.is_by_chance
            if self.moments.count > 1 and group.moments.count > 10:
                self._shift(data, group.moments)
        data.telling_column = self._telling()
        return data

    def _scale(self, data: Data) -> None:
        mean, std = self.moments.mean, self.moments.std
        data.columns = len(mean)
        varying = std > 0
        if not varying.any():
            return
        scale = np.where(varying, np.maximum(np.abs(mean), std), 0.0)
        data.column = int(scale.argmax())
        data.mean, data.std = float(np.abs(mean[varying]).max()), float(std[varying].max())
        data.least_std = float(std[varying].min())

    def _shift(self, data: Data, judged: Moments) -> None:
        mean, std = self.moments.mean, self.moments.std
        varying = std > 0
        if judged.mean.shape != mean.shape or not varying.any():
            return
        shift = np.abs(judged.mean - mean)[varying] / std[varying]
        ratio = (judged.std[varying] + 1e-12) / std[varying]
        data.shift_column = int(np.flatnonzero(varying)[shift.argmax()])
        data.shift = float(np.median(shift)) if len(shift) > 8 else float(shift.max())
        data.shift_largest = float(shift.max())
        data.shift_ratio = float(np.median(ratio))  # one rare column is no preparation

    def _order(self, data: Data) -> None:
        """How much targets vary within batches and over all, and how rarely chance would give so little within."""
        groups = [g for g in self.targets if len(g) >= 4]
        if len(groups) < 3:
            return
        values = np.concatenate(groups)
        is_classes = values.dtype.kind in "iub" or (np.equal(values, np.round(values)).all() and len(np.unique(values)) <= 50)  # fmt: skip
        which = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
        if is_classes:
            values = np.unique(values, return_inverse=True)[1]
        measure = _entropies if is_classes else _variances
        over = float(measure(values, np.zeros(len(values), dtype=int))[0])
        if not over > 0:
            return
        sizes = np.bincount(which)
        own = float(np.average(measure(values, which), weights=sizes))
        generator = np.random.default_rng(0)
        drawn = [np.average(measure(generator.permutation(values), which), weights=sizes) for _ in range(60)]  # fmt: skip
        z = (own - float(np.mean(drawn))) / max(float(np.std(drawn)), 1e-9)
        data.within_entropy, data.over_entropy = own, over
        data.p_sorted = 0.5 * math.erfc(-z / math.sqrt(2))

    def _telling(self) -> int | None:
        """A column that alone gives the target."""
        if self.kept_count < 50 or self.data.kind != "numbers":
            return None
        X = np.concatenate([x for x, _ in self.kept if x.shape[1] == self.kept[0][0].shape[1]])
        if self.kept[0][1].shape[1] != 1:
            return None  # an input among its own targets, as in an autoencoder, tells nothing
        y = np.concatenate([y[:, 0] for x, y in self.kept if x.shape[1] == self.kept[0][0].shape[1]])  # fmt: skip
        if X.shape[1] < 2 or X.shape[1] >= KEPT_COLUMNS or y.std() == 0:
            return None
        X, y = X - X.mean(0), (y - y.mean()).astype(np.float64)
        norms = np.sqrt((X**2).sum(0)) * np.sqrt((y**2).sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            correlation = np.abs(X.T @ y) / norms
        correlation = np.nan_to_num(correlation)
        order = np.sort(correlation)
        best = int(correlation.argmax())
        return best if order[-1] > 0.9995 and order[-2] < 0.99 else None

    def learn(self) -> dict[str, float]:
        """What ridge regression, nearest neighbours and trees find in the rows: share of the constant's error."""
        if self.kept_count < 100:
            return {}
        width = self.kept[0][0].shape[1]
        X = np.nan_to_num(np.concatenate([x for x, _ in self.kept if x.shape[1] == width]))
        y = np.concatenate([y for x, y in self.kept if x.shape[1] == width])
        _, first = np.unique(X, axis=0, return_index=True)
        order = np.random.default_rng(0).permutation(np.sort(first))
        X, y = X[order], y[order]
        return simple_scores(X, y) if len(X) >= 100 else {}


def kind_of(rows: Tensor) -> str:
    """What kind of rows these are, by type and shape."""
    if not rows.dtype.is_floating_point:
        return "tokens"
    return {1: "numbers", 2: "numbers", 3: "sequences"}.get(rows.dim(), "images")


def _entropies(codes: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Entropy of whole numbers in each group.

    >>> _entropies(np.array([0, 1, 1, 1]), np.array([0, 0, 1, 1])).round(4).tolist()
    [0.6931, 0.0]
    """
    wide = int(codes.max()) + 1
    counts = np.bincount(which * wide + codes, minlength=(int(which.max()) + 1) * wide)
    shares = counts.reshape(-1, wide) / np.bincount(which)[:, None]
    return np.asarray(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(1) + 0.0)


def _variances(values: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Variance in each group.

    >>> _variances(np.array([0.0, 2.0, 5.0, 5.0]), np.array([0, 0, 1, 1])).tolist()
    [1.0, 0.0]
    """
    number = np.bincount(which)
    apart = values - (np.bincount(which, weights=values) / number)[which]
    return np.asarray(np.bincount(which, weights=apart**2) / number)
