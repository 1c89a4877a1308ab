"""Sums over the batches of an epoch."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

WINDOW = 32  # losses that may wait on an accelerator before they are looked at


class Totals:
    """Loss and other figures of the epoch so far, weighted by rows.

    On a CPU a loss is read at once, which costs nothing there. On an accelerator reading would stall the
    queue, so losses wait and are read ``WINDOW`` at a time.

    Args:
        is_lazy: Whether losses wait.
    """

    def __init__(self, *, is_lazy: bool = False) -> None:
        self.rows, self.loss, self.is_lazy = 0, 0.0, is_lazy
        self.figures: dict[str, Any] = {}
        self._waiting: list[tuple[Tensor, int]] = []

    def add(
        self, loss: Tensor | None, rows: int, figures: Mapping[str, Tensor | float]
    ) -> int | None:
        """Add a batch. Returns how many batches ago a loss was not finite (0: this one), if any was."""
        self.rows += rows
        for name, value in figures.items():
            value = value.detach() if isinstance(value, Tensor) else value
            self.figures[name] = self.figures.get(name, 0.0) + value * rows
        if loss is None:
            return None
        if not self.is_lazy:
            value = loss.item()
            self.loss += value * rows
            return None if math.isfinite(value) else 0
        self._waiting.append((loss.detach(), rows))
        return self.read() if len(self._waiting) >= WINDOW else None

    def read(self) -> int | None:
        """Take in the losses that wait."""
        if not self._waiting:
            return None
        values = torch.stack([loss for loss, _ in self._waiting]).tolist()
        self.loss += sum(v * rows for v, (_, rows) in zip(values, self._waiting, strict=True))
        self._waiting = []
        bad = next((i for i, value in enumerate(values) if not math.isfinite(value)), None)
        return None if bad is None else len(values) - 1 - bad

    def means(self) -> dict[str, float]:
        """Return ``train_loss`` and ``train_<figure>``, averaged over rows."""
        self.read()
        sums = {"loss": self.loss} | self.figures
        return {f"train_{name}": float(value) / max(self.rows, 1) for name, value in sums.items()}

    def state_dict(self) -> dict[str, Any]:
        self.read()
        figures = {name: float(value) for name, value in self.figures.items()}
        return {"rows": self.rows, "loss": self.loss, "figures": figures}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.rows, self.loss, self.figures = state["rows"], state["loss"], dict(state["figures"])
