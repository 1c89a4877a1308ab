"""Judge samples against data that the generator has not seen, beside two references.

A distance alone says nothing: "is this figure good?" has an answer only beside what real rows have against real rows,
and what a simple generator has.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.generative.copying import Repeats, copying_share, exact_repeats
from gradatim.generative.discrepancy import kernel_distance
from gradatim.generative.frechet import frechet_distance
from gradatim.generative.manifolds import inside_manifold
from gradatim.generative.resampling import (
    Estimate,
    interval_around,
    mean_interval,
    random_weights,
)

Features = Callable[[Tensor], Tensor]
LOWER_IS_BETTER = {
    "frechet_distance": True,
    "kernel_distance": True,
    "precision": False,
    "recall": False,
}
LEAST = 8  # rows of each kind


@dataclass(frozen=True)
class Judgement:
    """Figures of samples, with intervals, beside those of the two references.

    Attributes:
        model: Figures of the samples against held-out rows: ``frechet_distance``, ``kernel_distance``, ``precision``,
            ``recall``, and ``copying``, an honest generator's being 0.5.
        real: The same of training rows against held-out rows, without copying: nobody can ask for better.
        simple: The same of a simple generator's samples; empty without one.
        num_rows: Rows of each kind that the distances are of; figures of other numbers cannot be compared.
        repeats: Samples that are training rows to the last digit.
    """

    model: Mapping[str, Estimate]
    real: Mapping[str, Estimate]
    simple: Mapping[str, Estimate]
    num_rows: int
    repeats: Repeats

    @property
    def is_copying(self) -> bool:
        """Whether copying is more than chance allows, or unique training rows came back."""
        return self.model["copying"].low > 0.5 or self.repeats.unique > 0


@takes_arrays
def judge_samples(
    samples: Tensor,
    train: Tensor,
    held_out: Tensor,
    *,
    simple: Tensor | None = None,
    features: Features | None = None,
    num_neighbours: int = 3,
    most_rows: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Judgement:
    """Judge the samples of a generator.

    Distances, precision and recall are of features, and of equally many rows everywhere; copying is of the rows
    themselves, and all of them.

    Args:
        samples: Of the generator, shape ``(N, ...)``.
        train: Rows that it learned from, ``(M, ...)``.
        held_out: Rows of the same source that it has not seen, ``(H, ...)``.
        simple: Samples of a simple generator.
        features: From rows to features ``(N, D)``, such as :class:`~gradatim.generative.ClassifierFeatures`; by default
            the rows themselves, flat.
        num_neighbours: Neighbours of precision and recall.
        most_rows: Most rows of a kind that distances are of.
        level: Probability that an interval is right.
        seed: Fixes what is drawn.

    Example:
        >>> draw = lambda n: torch.randn(n, 2)
        >>> judgement = judge_samples(draw(200), draw(400), draw(200), simple=draw(200) + 3)
        >>> judgement.model["frechet_distance"].value < judgement.simple["frechet_distance"].low
        True
        >>> judgement.is_copying
        False
    """
    kinds = [samples, train, held_out, *([] if simple is None else [simple])]
    rule = f"judge_samples: samples, train, held_out and simple must be at least {LEAST} rows each"
    require(all(rows.ndim > 1 and len(rows) >= max(LEAST, num_neighbours + 1) for rows in kinds), rule, ", ".join(str(tuple(rows.shape)) for rows in kinds))  # fmt: skip
    num_rows = min(most_rows, *map(len, kinds))
    generator = torch.Generator().manual_seed(seed)
    chosen = [rows[torch.randperm(len(rows), generator=generator)[:num_rows]] for rows in kinds]
    see = features or (lambda rows: rows.flatten(1))
    seen = [see(rows).double() for rows in chosen]

    def against(rows: Tensor) -> dict[str, Estimate]:
        return _compare(rows, seen[2], num_neighbours, level, seed)

    def copying(rows: Tensor) -> dict[str, Estimate]:
        return {"copying": copying_share(rows, train, held_out, level=level, seed=seed)}

    return Judgement(
        against(seen[0]) | copying(samples),
        against(seen[1]),
        {} if simple is None else against(seen[3]) | copying(simple),
        num_rows,
        exact_repeats(samples, train, held_out),
    )


def _compare(
    rows: Tensor, real: Tensor, num_neighbours: int, level: float, seed: int
) -> dict[str, Estimate]:
    """Every figure of features against those of held-out rows."""
    generator = torch.Generator().manual_seed(seed)
    w, v = (random_weights(len(each), generator=generator) for each in (rows, real))
    found = {
        name: interval_around(float(distance(rows, real)), distance(rows, real, w, v), level)
        for name, distance in (("frechet_distance", frechet_distance), ("kernel_distance", kernel_distance))
    }  # fmt: skip
    found["frechet_distance"] = found["frechet_distance"]._replace(
        low=max(found["frechet_distance"].low, 0.0)
    )
    for name, points, balls in (("precision", rows, real), ("recall", real, rows)):
        found[name] = mean_interval(
            inside_manifold(points, balls, num_neighbours=num_neighbours), level, seed=seed
        )
    return found
