"""Series over the steps, thinned out as they grow, and figures of layers."""

from typing import Any

from torch import Tensor

from gradatim.doctor.facts import LayerStats, Series
from gradatim.doctor.updates import Movement

MOST_POINTS = 2000
MOST_FIGURES = 120  # of one layer
MOST_LAYERS = 300
WAITING = 64  # steps whose losses may stay on an accelerator before they are read


class Recorder:
    """Losses of all steps and movements of sampled ones; of more than 2,000 every second is dropped."""

    def __init__(self) -> None:
        self.points: list[tuple[int, float, float | None]] = []
        self.moves: dict[int, tuple[float | None, float | None]] = {}
        self.layers: dict[str, LayerStats] = {}
        self.stride = 1
        self._waiting: list[tuple[int, list[Tensor | float], float | None]] = []

    def loss(self, step: int, values: list[Tensor | float], lr: float | None) -> None:
        """Keep the losses of a step; to read one from an accelerator would hold it up, so they wait for others."""
        self._waiting.append((step, values, lr))
        if len(self._waiting) >= WAITING or not any(isinstance(v, Tensor) for v in values):
            self._settle()

    def _settle(self) -> None:
        waiting, self._waiting = self._waiting, []
        for step, values, lr in waiting:
            self._keep(step, sum(float(v) for v in values) / len(values), lr)

    def _keep(self, step: int, loss: float, lr: float | None) -> None:
        is_bad = loss != loss and not any(p[1] != p[1] for p in self.points[-1:])
        if step % self.stride == 0 or is_bad:
            self.points.append((step, loss, lr))
        if len(self.points) >= MOST_POINTS:
            self.stride *= 2
            self.points = [p for p in self.points if p[0] % self.stride == 0 or p[1] != p[1]][:MOST_POINTS - 1]  # fmt: skip

    def merge(self) -> None:
        """Forget the passes before the first step: they were parts of it."""
        self._waiting.clear()
        self.points.clear()

    def moved(self, movement: Movement, structure: Any, step: int) -> None:
        """Keep what a step did, over all weights and layer by layer."""
        known = {key: r for key, r in movement.ratios.items() if movement.weights[key] > 1e-6}
        wide = [ratio for key, ratio in known.items() if movement.sizes[key] > 1]
        ratios = wide or list(known.values())  # single numbers speak where there is nothing else
        middle = sorted(ratios)[len(ratios) // 2] if ratios else None
        if len(self.moves) < MOST_POINTS:
            self.moves[step] = (movement.gradient_norm, middle)
        for key, norm in movement.norms.items():
            layer = structure.layer_of.get(key)
            if layer is None or (len(self.layers) >= MOST_LAYERS and layer[0] not in self.layers):
                continue
            stats = self.layer(layer[0], layer[1])
            if len(stats.gradient_norm) >= MOST_FIGURES:
                continue
            stats.step, stats.size = step, movement.sizes[key]
            stats.gradient_norm.append(norm)
            stats.weight_norm.append(movement.weights[key])
            if key in movement.ratios:
                stats.update_ratio.append(movement.ratios[key])
            if key in movement.decay:
                stats.decay_share.append(movement.decay[key])

    def layer(self, name: str, kind: str) -> LayerStats:
        """The figures of a layer."""
        return self.layers.setdefault(name, LayerStats(kind, depth=len(self.layers)))

    def series(self) -> Series:
        """The series as facts."""
        self._settle()
        series = Series()
        for step, loss, lr in self.points:
            norm, ratio = self.moves.get(step, (None, None))
            series.step.append(step)
            series.loss.append(loss)
            series.lr.append(lr)
            series.gradient_norm.append(norm)
            series.update_ratio.append(ratio)
        return series
