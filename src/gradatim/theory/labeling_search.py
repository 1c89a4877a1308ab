r"""What a network can say about given points, found by training it on every labeling of them.

All :math:`2^n` labelings are trained at once, as one stacked computation. A labeling that was fitted is one that the
network makes; one that was not may still be, with a longer training or a luckier start. So the search proves that points
are shattered, and never that they are not: what it counts is a lower bound.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gradatim.errors import require
from gradatim.training import train_replicas

Labelings = NDArray[np.bool_]
Points = NDArray[np.float64]
Build = Callable[[], nn.Module]
MOST_TRAINED = 10  # points, so 1024 trainings
STEPS, LR, RESTARTS, CLOUDS = 300, 0.2, 2, 3  # of a training by Adam; new starts; sets of points


def all_labelings(n: int) -> Labelings:
    """All labelings of ``n`` points, shape ``(2ⁿ, n)``."""
    return (np.arange(2**n)[:, None] >> np.arange(n)) % 2 == 1


def learned_labelings(build: Build, points: Points, seed: int) -> Labelings:
    r"""Labelings of the points that a network learned, a part of :math:`\mathcal F(S)`, shape ``(count, n)``.

    Args:
        build: Makes a network with one output, which says 1 where it is positive.
        points: Shape ``(n, d)``, n at most 10.
        seed: Of all starts.
    """
    rule = f"labelings: points of a network must be at most {MOST_TRAINED}, since each labeling is a training"  # fmt: skip
    require(len(points) <= MOST_TRAINED, rule, len(points))
    x = torch.as_tensor(points, dtype=torch.get_default_dtype())
    wanted, found = all_labelings(len(x)), []
    for attempt in range(RESTARTS + 1):
        is_fitted = _fit(build, x, wanted, seed + attempt * 2**MOST_TRAINED)
        found.append(wanted[is_fitted])
        wanted = wanted[~is_fitted]
        if not len(wanted):
            break
    return np.concatenate(found)


def _fit(build: Build, x: Tensor, wanted: Labelings, seed: int) -> Labelings:
    """Which labelings were fitted, by a training each."""
    y = torch.as_tensor(wanted)
    data = [(x, labels.to(x.dtype)[:, None]) for labels in y]
    seeds = [seed + k for k in range(len(y))]
    replicas = train_replicas(build, data, loss="bce", lr=LR, epochs=STEPS, batch_size=len(x), seed=seeds)  # fmt: skip
    said = replicas.predict(x)[..., 0]  # (2ⁿ, n)
    return ((said > 0) == y).all(1).numpy()


def search_dimension(build: Build, dim: int, seed: int) -> int:
    """The most points that the search saw the network shatter, of sets drawn from a Gaussian in ``dim`` dimensions."""
    rng = np.random.default_rng(seed)
    for n in range(1, MOST_TRAINED + 1):
        clouds = (rng.normal(size=(n, dim)) for _ in range(CLOUDS))
        if not any(len(learned_labelings(build, cloud, seed)) == 2**n for cloud in clouds):
            return n - 1
    return MOST_TRAINED
