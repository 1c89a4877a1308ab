"""The loss of sampled steps beside that of a constant prediction on the same targets: what chance drew is in both."""

from dataclasses import dataclass, field

import numpy as np
from torch import Tensor

from gradatim.doctor.facts import Paired

MOST_STEPS = 400
MOST_COLUMNS = 64
MOST_CLASSES = 4096
SQUARED = {"mse_loss", "squares by hand"}


@dataclass
class Drawn:
    """Targets of one term in one step, in sums."""

    key: tuple[object, ...]
    scale: float
    count: int
    sum: np.ndarray
    square: np.ndarray | None = None


@dataclass
class Step:
    """A sampled step."""

    number: int
    loss: float
    terms: list[Drawn | None] = field(default_factory=list)


class Pairs:
    """Keeps the first sampled steps and, of more than 400, every second."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def begin(self, number: int, loss: float) -> None:
        """Another step is looked at."""
        if len(self.steps) >= MOST_STEPS:
            self.steps = self.steps[:16] + self.steps[16::2]
        self.steps.append(Step(number, loss))

    def add(self, key: tuple[object, ...], scale: float, target: Tensor | None, operation: str, *, weighted: bool) -> None:  # fmt: skip
        """Take in the targets of a term; of one that has no constant to compare with, nothing is known of the step."""
        if self.steps:
            drawn = None if weighted or target is None else _draw(key, scale, target.detach(), operation)  # fmt: skip
            self.steps[-1].terms.append(drawn)

    def describe(self) -> Paired:
        """Losses and constants of the steps in which both are known."""
        known = [s for s in self.steps if s.terms and all(t is not None for t in s.terms)]
        total: dict[tuple[object, ...], Drawn] = {}
        for step in known:
            for t in step.terms:
                assert t is not None
                if t.key in total and total[t.key].sum.shape == t.sum.shape:
                    old = total[t.key]
                    square = None if t.square is None or old.square is None else old.square + t.square  # fmt: skip
                    total[t.key] = Drawn(t.key, t.scale, old.count + t.count, old.sum + t.sum, square)  # fmt: skip
                elif t.key not in total or total[t.key].sum.size < t.sum.size:
                    total[t.key] = t
        paired = Paired()
        for step in known:
            parts = [_constant(t, total[t.key]) for t in step.terms if t is not None and t.sum.shape == total[t.key].sum.shape]  # fmt: skip
            if len(parts) == len(step.terms):
                paired.step.append(step.number)
                paired.loss.append(step.loss)
                paired.constant.append(float(sum(parts)))
        return paired


def _draw(key: tuple[object, ...], scale: float, target: Tensor, operation: str) -> Drawn | None:
    if operation in {"cross_entropy", "nll_loss", "nll by hand"} and not target.dtype.is_floating_point:  # fmt: skip
        flat = target.reshape(-1)
        classes = flat[(flat >= 0) & (flat < MOST_CLASSES)].cpu().numpy()
        counts = np.bincount(classes, minlength=0).astype(float)
        wide = np.zeros(max(16, 2 ** int(np.ceil(np.log2(max(len(counts), 1))))))
        wide[: len(counts)] = counts
        return Drawn(key, scale, len(classes), wide) if len(classes) else None
    if operation not in SQUARED and not operation.startswith("binary_cross_entropy"):
        return None
    rows = target.reshape(target.shape[0], -1) if target.dim() else target.reshape(1, 1)
    if not 1 <= rows.shape[1] <= MOST_COLUMNS:
        return None
    values = rows.double().cpu().numpy()
    if operation not in SQUARED and (values.min() < 0 or values.max() > 1):
        return None
    square = (values**2).sum(0) if operation in SQUARED else None
    return Drawn(key, scale, len(values), values.sum(0), square)


def _constant(drawn: Drawn, total: Drawn) -> float:
    """Loss of the best constant over all steps, on the targets of one."""
    if drawn.key and str(drawn.key[0]) in SQUARED and drawn.square is not None:
        mean = total.sum / total.count
        error = drawn.square - 2 * mean * drawn.sum + drawn.count * mean**2
        return drawn.scale * float(error.mean()) / drawn.count
    if str(drawn.key[0]).startswith("binary"):
        p = np.clip(total.sum / total.count, 1e-12, 1 - 1e-12)
        q = drawn.sum / drawn.count
        return drawn.scale * float(-(q * np.log(p) + (1 - q) * np.log(1 - p)).mean())
    p = np.clip(total.sum / total.sum.sum(), 1e-12, 1.0)
    return drawn.scale * float(-(drawn.sum * np.log(p)).sum()) / drawn.count
