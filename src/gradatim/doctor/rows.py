"""The rows that go into a model: recognized by two random sums each, their scale, and the order of their targets."""

import math

import numpy as np
import torch
from torch import Tensor

from gradatim.doctor.facts import Data, Place, Witness
from gradatim.doctor.moments import MOST_COLUMNS, Moments
from gradatim.doctor.signals import simple_scores

MOST_ROWS = 100_000  # whose sums are kept
MOST_KEPT = 1500  # rows kept whole, for simple models
KEPT_COLUMNS = 256
MOST_GROUPS = 40  # evaluations that are told apart
MOST_MARKS = 20_000  # rows of one evaluation
MOST_BATCHES = 80  # whose targets are kept
_FACTORS = np.random.default_rng(20).integers(-(2**62), 2**62, (MOST_COLUMNS, 2), dtype=np.int64) | 1  # fmt: skip


def fingerprints(rows: Tensor) -> list[int]:
    """One number per row, equal for equal rows: sums of bits with random factors, exact in whole numbers.

    >>> a = fingerprints(torch.tensor([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))
    >>> a[0] == a[2], a[0] == a[1]
    (True, False)
    """
    flat = thin(rows).cpu().contiguous().numpy()
    if flat.dtype.kind == "f":
        flat = flat.astype(np.float32, copy=False).view(np.int32)
    whole = flat.astype(np.int64, copy=False)
    with np.errstate(over="ignore"):
        two = whole @ _FACTORS[: whole.shape[1]]
        mixed = two[:, 0] ^ (two[:, 1] * np.int64(6364136223846793005))
    found: list[int] = mixed.tolist()
    return found


def thin(rows: Tensor) -> Tensor:
    """Rows as a matrix, of very long ones every k-th column."""
    flat = rows.detach().reshape(rows.shape[0], -1)
    return flat[:, :: max(1, math.ceil(flat.shape[1] / MOST_COLUMNS))]


class Group:
    """The rows of one evaluation."""

    def __init__(self) -> None:
        self.marks: set[int] = set()
        self.moments = Moments()

    def add(self, rows: Tensor) -> int:
        """Take in a batch, and return how many of its rows were there before."""
        rows = as_rows(rows)
        if len(self.marks) >= MOST_MARKS:
            return 0
        marks = set(fingerprints(rows))
        repeats = len(marks & self.marks)
        self.marks |= marks
        if rows.dtype.is_floating_point:
            self.moments.add(rows)
        return repeats


class Rows:
    """Everything that is known of training and validation rows."""

    def __init__(self) -> None:
        self.training: set[int] = set()
        self.last: set[int] = set()
        self.groups: dict[tuple[int | None, int], Group] = {}
        self.moments = Moments()
        self.data = Data()
        self.seen = 0
        self.targets: list[np.ndarray] = []
        self.kept: list[tuple[np.ndarray, np.ndarray]] = []
        self.kept_count = 0
        self.bad = Witness()
        self.available = 0

    def train(self, rows: Tensor, target: Tensor | None, place: Place, step: int) -> None:
        """Take in the inputs of a sampled step."""
        data, rows = self.data, as_rows(rows)
        data.kind = kind_of(rows)
        data.place = place
        data.batches += 1
        if len(data.batch_sizes) < 200:
            data.batch_sizes.append(rows.shape[0])
        self.seen += rows.shape[0]
        self.last = set(fingerprints(rows))
        if len(self.training) < MOST_ROWS:
            self.training.update(self.last)
        if rows.dtype.is_floating_point:
            self._check(rows, "inputs", place, step)
            if data.batches <= 40:
                self.moments.add(rows)
        if target is not None and target.numel() and target.shape[:1] == rows.shape[:1]:
            self._targets(rows, target, place, step)

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

    def evaluated(self, place: Place, rows: int, group: "Group") -> float:
        """Take in the rows of an evaluation, and return the share of them that were trained on."""
        if not group.marks:
            return 0.0
        key = (place.line, rows)
        if key in self.groups or len(self.groups) < MOST_GROUPS:
            known = self.groups.setdefault(key, group)
            if len(known.marks) < MOST_ROWS:
                known.marks |= group.marks
        return len(group.marks & self.training) / len(group.marks)

    def _held_out(self) -> "Group | None":
        """The rows of an evaluation that is not one of training rows, if there is any."""
        size = max(len(self.training), 1)
        groups = [g for (_, _), g in self.groups.items() if len(g.marks) >= 10]
        shares = {id(g): len(g.marks & self.training) / len(g.marks) for g in groups}
        apart = [g for g in groups if shares[id(g)] < 0.01]
        if apart:
            partly = [g for g in groups if 0.01 <= shares[id(g)] < 0.5]
            return max(partly or apart, key=lambda g: len(g.marks))
        known = max(size, self.available)
        fewer = [g for g in groups if len(g.marks) < 0.9 * known]
        return max(fewer, key=lambda g: len(g.marks), default=None)

    def describe(self) -> Data:
        """The rows as facts."""
        data = self.data
        data.rows, data.distinct, data.available = self.seen, len(self.training), self.available
        if self.moments.count > 1:
            self._scale(data)
        self._order(data)
        group = self._held_out()
        if group is not None and self.training:
            data.validation_rows = len(group.marks)
            data.overlap = len(group.marks & self.training) / len(group.marks)
            data.few_valued = data.distinct < 0.9 * min(self.seen, data.distinct + 1) and data.columns <= 3  # fmt: skip
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
        data.shift_ratio = float(np.median(ratio))  # one rare column is no preparation

    def _order(self, data: Data) -> None:
        """How much targets vary within batches and over all, and how rarely chance would give so little within."""
        groups = [g for g in self.targets if len(g) >= 4]
        if len(groups) < 3:
            return
        values = np.concatenate(groups)
        is_classes = values.dtype.kind in "iub" or (np.equal(values, np.round(values)).all() and len(np.unique(values)) <= 50)  # fmt: skip
        measure = _entropy if is_classes else _variance
        over = measure(values)
        if not over > 0:
            return
        ends = np.cumsum([len(g) for g in groups])[:-1]
        sizes = np.array([len(g) for g in groups])
        own = float(np.average([measure(g) for g in groups], weights=sizes))
        generator = np.random.default_rng(0)
        drawn = [
            np.average([measure(g) for g in np.split(generator.permutation(values), ends)], weights=sizes)
            for _ in range(60)
        ]  # fmt: skip
        z = (own - float(np.mean(drawn))) / max(float(np.std(drawn)), 1e-9)
        data.within_entropy, data.over_entropy = own, over
        data.p_sorted = 0.5 * math.erfc(-z / math.sqrt(2))

    def _telling(self) -> int | None:
        """A column that alone gives the target."""
        if self.kept_count < 50 or self.data.kind != "numbers":
            return None
        X = np.concatenate([x for x, _ in self.kept if x.shape[1] == self.kept[0][0].shape[1]])
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


def as_rows(values: Tensor) -> Tensor:
    """A vector of numbers is one row, such as the state of a game; one of whole numbers is a batch of tokens.

    >>> as_rows(torch.zeros(6)).shape, as_rows(torch.arange(6)).shape
    (torch.Size([1, 6]), torch.Size([6]))
    """
    return values[None] if values.dim() == 1 and values.dtype.is_floating_point else values


def kind_of(rows: Tensor) -> str:
    """What kind of rows these are, by type and shape."""
    if not rows.dtype.is_floating_point:
        return "tokens"
    return {1: "numbers", 2: "numbers", 3: "sequences"}.get(rows.dim(), "images")


def _entropy(values: np.ndarray) -> float:
    _, counts = np.unique(values, return_counts=True)
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _variance(values: np.ndarray) -> float:
    return float(np.var(values))
