"""The task that the contestants of this folder do: learn, or decode with, a hidden Markov model of symbols.

What the clock calls an epoch is one whole fit of some iterations from the same start, or one decoding of
all sequences. Everybody computes in float64.
"""

from dataclasses import dataclass

import numpy as np

CONTESTANTS = ("gradatim", "hmmlearn")
FIT, VITERBI = "fit", "viterbi"


@dataclass(frozen=True)
class Task:
    """A model to begin with, and sequences.

    Args:
        start: Shape ``(K,)``.
        transition: Shape ``(K, K)``.
        emission: Shape ``(K, V)``.
        y: Symbols, int64, shape ``(B, T)``.
        goal: :data:`FIT` or :data:`VITERBI`.
        iterations: Rounds of Baum-Welch.
        source: What the data are.
    """

    start: np.ndarray
    transition: np.ndarray
    emission: np.ndarray
    y: np.ndarray
    goal: str
    iterations: int
    source: str

    @property
    def flops(self) -> int:
        """Multiplications and additions of the recursions of an epoch."""
        passes = 6 * self.iterations if self.goal == FIT else 2  # forward, backward, pairs
        return passes * self.y.size * len(self.start) ** 2


def build_task(goal: str, quick: bool) -> Task:
    """Draw a model of 8 states and 20 symbols, and 100 sequences of 200 from another one like it."""
    noise = np.random.default_rng(0)
    states, symbols, count, steps = 8, 20, (20 if quick else 100), 200
    start, transition = noise.dirichlet(np.ones(states)), noise.dirichlet(np.ones(states), states)
    emission = noise.dirichlet(np.ones(symbols), states)
    y = noise.integers(0, symbols, (count, steps))
    source = f"{count} random sequences of {steps}, {states} states, {symbols} symbols"
    return Task(start, transition, emission, y, goal, 20, source)
