"""What candidates said of rows that they had not learned from: a number for each, enough to know how far they err.

For values it is the value, for classes the probability of the true one, so it costs a million rows little; of more rows than
:data:`MOST`, some are drawn.
"""

import base64
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

MOST = 10_000  # rows of all folds together
SAID = "said"  # the name of the numbers in a file of results

Job = tuple[Hashable, int]  # a candidate and a fold


def draw_places(rows: int, all_rows: int, seed: int, k: int) -> np.ndarray:
    """Places among the judging rows of fold ``k`` whose numbers are kept: all, or a share of them drawn at random.

    Args:
        rows: Judging rows of the fold.
        all_rows: Of all folds together.
        seed: Fixes the draw.
        k: The fold.

    Example:
        >>> draw_places(3, 9, 0, 0).tolist(), len(draw_places(500_000, 1_000_000, 0, 1))
        ([0, 1, 2], 5000)
    """
    if all_rows <= MOST:
        return np.arange(rows)
    drawn = np.random.default_rng([seed, 5, k]).permutation(rows)
    return np.sort(drawn[: MOST * rows // all_rows])


class Told:
    """The numbers by candidate and fold, and how files of results hold them."""

    def __init__(self) -> None:
        self._numbers: dict[Job, np.ndarray] = {}

    def put(self, candidate: Hashable, k: int, numbers: np.ndarray) -> None:
        """Keep what a candidate said of fold ``k``."""
        self._numbers[candidate, k] = np.asarray(numbers, dtype=np.float64)

    def get(self, candidate: Hashable, k: int) -> np.ndarray | None:
        """Return what a candidate said of fold ``k``, where that is known."""
        return self._numbers.get((candidate, k))

    def pack(self, jobs: Sequence[Job]) -> dict[str, list[str | None]]:
        """Return what is known of jobs as plain data, bit by bit."""
        found = [self._numbers.get(job) for job in jobs]
        return {SAID: [None if a is None else base64.b64encode(a.tobytes()).decode() for a in found]}  # fmt: skip

    def unpack(self, jobs: Sequence[Job], packed: Mapping[str, Sequence[str | None]]) -> None:
        """Undo :meth:`pack`; files of results that were written without numbers have none."""
        for job, text in zip(jobs, packed.get(SAID, ()), strict=False):
            if text is not None:
                self._numbers[job] = np.frombuffer(base64.b64decode(text), dtype=np.float64)
