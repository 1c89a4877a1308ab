"""Sums over the batches of an epoch."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

WINDOW = 32  # batches whose figures may wait on an accelerator before they are looked at


class Totals:
    """Loss and other figures of the epoch so far, weighted by rows.

    On a CPU a figure is read at once, which costs nothing there. On an accelerator reading would stall the
    queue, so figures wait and are read ``WINDOW`` batches at a time.

    Args:
        is_lazy: Whether figures wait.

    Attributes:
        bad: Name of the figure that was last found not finite.
    """

    def __init__(self, *, is_lazy: bool = False) -> None:
        self.rows, self.loss, self.is_lazy, self.bad = 0, 0.0, is_lazy, "loss"
        self.is_without_loss = False
        self.figures: dict[str, float] = {}
        self._waiting: list[tuple[dict[str, Tensor | float], int]] = []

    def add(
        self, loss: Tensor | None, rows: int, figures: Mapping[str, Tensor | float]
    ) -> int | None:
        """Add a batch. Returns how many batches ago a figure was not finite (0: this one), if any was."""
        self.rows += rows
        if self.is_lazy:
            return self._wait(loss, rows, figures)
        bad = None
        for name, figure in figures.items():
            value = figure.item() if isinstance(figure, Tensor) else float(figure)
            self.figures[name] = self.figures.get(name, 0.0) + value * rows
            if not math.isfinite(value):
                self.bad, bad = name, 0
        if loss is None:
            self.is_without_loss = True
            return bad
        value = loss.item()
        self.loss += value * rows
        if math.isfinite(value):
            return bad
        self.bad = "loss"
        return 0

    def _wait(
        self, loss: Tensor | None, rows: int, figures: Mapping[str, Tensor | float]
    ) -> int | None:
        values = dict(figures) if loss is None else {**figures, "loss": loss}
        self.is_without_loss |= loss is None
        detached = {k: v.detach() if isinstance(v, Tensor) else v for k, v in values.items()}
        self._waiting.append((detached, rows))
        return self.read() if len(self._waiting) >= WINDOW else None

    def read(self) -> int | None:
        """Take in the figures that wait."""
        waiting, self._waiting = self._waiting, []
        ages = {}
        for name in dict.fromkeys(name for values, _ in waiting for name in values):
            places = [i for i, (values, _) in enumerate(waiting) if name in values]
            values = torch.stack([torch.as_tensor(waiting[i][0][name]) for i in places]).tolist()
            total = sum(v * waiting[i][1] for v, i in zip(values, places, strict=True))
            if name == "loss":
                self.loss += total
            else:
                self.figures[name] = self.figures.get(name, 0.0) + total
            bad = (i for v, i in zip(values, places, strict=True) if not math.isfinite(v))
            if (first := next(bad, None)) is not None:
                ages[name] = len(waiting) - 1 - first
        if not ages:
            return None
        self.bad = max(ages, key=lambda name: (ages[name], name == "loss"))
        return ages[self.bad]

    def means(self, prefix: str = "train_") -> dict[str, float]:
        """Return ``train_loss``, if there is a loss, and ``train_<figure>``, averaged over rows."""
        self.read()
        has_loss = self.loss != 0.0 or not self.is_without_loss
        sums = ({"loss": self.loss} if has_loss else {}) | self.figures
        return {f"{prefix}{name}": value / max(self.rows, 1) for name, value in sums.items()}

    def state_dict(self) -> dict[str, Any]:
        self.read()
        return {"rows": self.rows, "loss": self.loss, "figures": self.figures}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.rows, self.loss, self.figures = state["rows"], state["loss"], dict(state["figures"])
