"""Linear regions of ReLU networks: the cells on which the network is one affine map."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.theory.patterns import sample_patterns
from gradatim.theory.polygons import (
    Array,
    box_polygon,
    join,
    level_segments,
    signed_distance,
    split,
)
from gradatim.theory.relu_chain import ReluChain, read_chain

Domain = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Regions:
    """The linear regions of a network within a box.

    Args:
        count: Number of regions; a lower bound unless ``is_exact``.
        is_exact: Whether every region of the box was found.
        domain: The box.
        patterns: One row per region: which hidden units are active, first layer first.
        vertices: Intervals ``(count, 2, 1)`` from left to right, or polygons ``(count, V, 2)`` that
            repeat their last vertex to a common length; empty for sampled regions.
        weights: The affine map on each region, shape ``(count, outputs, inputs)``; empty for sampled.
        offsets: Its constant term, shape ``(count, outputs)``; empty for sampled.
    """

    count: int
    is_exact: bool
    domain: Domain
    patterns: NDArray[np.bool_] = field(repr=False)
    vertices: Array = field(repr=False)
    weights: Array = field(repr=False)
    offsets: Array = field(repr=False)

    @property
    def polygons(self) -> list[Array]:
        """The polygons of a two-dimensional domain, each of shape ``(vertices, 2)``."""
        self._need("polygons", 2)
        repeats = (self.vertices[:, 1:] == self.vertices[:, :-1]).all(axis=-1)
        lengths = self.vertices.shape[1] - repeats.sum(axis=1)
        return [polygon[:n] for polygon, n in zip(self.vertices, lengths, strict=True)]

    @property
    def breakpoints(self) -> Array:
        """Where the pieces of a one-dimensional domain meet, from left to right."""
        self._need("breakpoints", 1)
        return self.vertices[1:, 0, 0]

    def decision_boundary(self, level: float = 0.0) -> Array:
        """Where the output of a two-dimensional network equals ``level``, exactly.

        A network with two outputs is read as their difference, second minus first.

        Returns:
            Segments, shape ``(S, 2, 2)``.
        """
        self._need("decision_boundary", 2)
        outputs = self.offsets.shape[1]
        if outputs > 2:
            raise InvalidValue(
                f"Regions.decision_boundary: the network must have one or two outputs, got {outputs}."
            )
        values = np.einsum("pvk,pok->pvo", self.vertices, self.weights) + self.offsets[:, None]
        score = values[..., -1] - (values[..., 0] if outputs == 2 else 0.0)
        return level_segments(self.vertices, score - level)

    def _need(self, name: str, dim: int) -> None:
        if len(self.domain) != dim:
            raise InvalidValue(
                f"Regions.{name}: the domain must have {dim} dimension{'s' * (dim > 1)}, "
                f"got {len(self.domain)}."
            )


def count_regions(
    model: nn.Module,
    domain: Sequence[tuple[float, float]],
    *,
    tol: float = 1e-9,
    num_samples: int = 100_000,
    seed: int = 0,
) -> Regions:
    r"""Find the cells of a box on which every hidden unit is either active or inactive.

    .. math:: \mathcal{X}_\kappa = \{x : \mathbb{1}\{z_j(x) > 0\} = \kappa_j \text{ for all units } j\}

    With one or two inputs the count is exact: the box is cut layer by layer, unit by unit, along
    :math:`z_j(x) = 0`, which is a line within every cell found so far. With more inputs the patterns
    of random points are counted: a lower bound, and ``is_exact`` is false.

    Args:
        model: ``MLP`` or ``nn.Sequential`` of dense layers and ReLU, leaky ReLU or PReLU.
        domain: One pair ``(low, high)`` per input.
        tol: Cells thinner than this share of the box's longest side are not told apart from
            lines; it makes coincident and concurrent lines safe.
        num_samples: Points drawn with three or more inputs.
        seed: Of those points.

    Example:
        >>> import torch
        >>> net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
        >>> net.load_state_dict({"0.weight": torch.eye(2), "0.bias": torch.zeros(2),
        ...                      "2.weight": torch.ones(1, 2), "2.bias": torch.zeros(1)})
        <All keys matched successfully>
        >>> count_regions(net, ((-1, 1), (-1, 1)))
        Regions(count=4, is_exact=True, domain=((-1.0, 1.0), (-1.0, 1.0)))

    Note:
        A cell of constant activation pattern lies in one linear region. Where a unit has no effect
        on the output, two cells may carry the same affine map; they are counted as two.
    """
    box = _check_domain(domain)
    chain = read_chain("count_regions", model, len(box))
    if len(box) > 2:
        return _sampled(chain, box, num_samples, seed)
    if len(box) == 2:
        return _cut(chain, box, np.eye(2, 3)[None], tol)
    return _intervals(chain, box, tol)


def _check_domain(domain: Sequence[tuple[float, float]]) -> Domain:
    box = tuple((float(low), float(high)) for low, high in domain)
    if not box or not all(-np.inf < low < high < np.inf for low, high in box):
        raise InvalidValue(
            "count_regions: domain must be pairs (low, high) with low < high, one per input, "
            f"got {box}. Try ((-1, 1), (-1, 1))."
        )
    return box


def _cut(chain: ReluChain, box: Domain, maps: Array, tol: float) -> Regions:
    """Cut the box by the units of each layer in turn; ``maps`` holds each cell's affine map."""
    thinnest = tol * max(high - low for low, high in box)
    vertices, patterns = box_polygon((box[0], box[1])), np.zeros((1, 0), dtype=bool)
    for layer in chain.layers:
        lines = _compose(layer.weight, layer.bias, maps)  # (P, units, 3)
        vertices, parent, active = _cut_by_layer(vertices, lines, thinnest)
        patterns = np.concatenate((patterns[parent], active), axis=1)
        maps = np.where(active, 1.0, layer.slope)[..., None] * lines[parent]
    maps = _compose(chain.weight, chain.bias, maps)  # (P, outputs, 3)
    return Regions(len(vertices), True, box, patterns, vertices, maps[..., :2], maps[..., 2])


def _compose(weight: Array, bias: Array, maps: Array) -> Array:
    """Affine maps after a dense layer; directions that cancel to rounding become exactly zero."""
    lines = weight @ maps
    lines[..., 2] += bias
    magnitude = np.abs(weight) @ np.abs(maps)
    magnitude[..., 2] += np.abs(bias)
    lines[np.abs(lines) < 1e-14 * magnitude] = 0.0
    return lines


def _cut_by_layer(
    vertices: Array, lines: Array, thinnest: float
) -> tuple[Array, NDArray[np.intp], NDArray[np.bool_]]:
    """Cut every cell by every unit of one layer; also return each part's origin and active units."""
    parent = np.arange(len(vertices))
    active = np.zeros((len(vertices), lines.shape[1]), dtype=bool)
    for unit in range(lines.shape[1]):
        distance = signed_distance(vertices, lines[parent, unit], thinnest)
        highest, lowest = distance.max(axis=1), distance.min(axis=1)
        active[:, unit] = highest > -lowest
        cut = np.flatnonzero((highest > 0.0) & (lowest < 0.0))
        if len(cut):
            above, below = split(vertices[cut], distance[cut])
            whole = np.delete(vertices, cut, axis=0)
            order = np.concatenate((np.delete(np.arange(len(vertices)), cut), cut, cut))
            vertices, parent, active = join(whole, above, below), parent[order], active[order]
            active[len(whole) :, unit] = np.arange(2 * len(cut)) < len(cut)
    return vertices, parent, active


def _intervals(chain: ReluChain, box: Domain, tol: float) -> Regions:
    """Cut a square strip whose second coordinate has no effect, and keep the first."""
    strip = (box[0], (0.0, box[0][1] - box[0][0]))
    cells = _cut(chain, strip, np.eye(1, 3)[None], tol)
    low = cells.vertices[..., 0].min(axis=1)
    order = np.argsort(low)
    ends = np.stack((low[order], np.append(low[order[1:]], box[0][1])), axis=1)[..., None]
    weights, offsets = cells.weights[order, :, :1], cells.offsets[order]
    return Regions(cells.count, True, box, cells.patterns[order], ends, weights, offsets)


def _sampled(chain: ReluChain, box: Domain, num_samples: int, seed: int) -> Regions:
    patterns = sample_patterns(chain, box, num_samples=num_samples, seed=seed)
    nothing = np.zeros((0, 0, len(box)))
    return Regions(len(patterns), False, box, patterns, nothing, nothing, nothing[..., 0])
