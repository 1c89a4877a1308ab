"""The task that the contestants of this folder do: PPO on CartPole-v1, actor and critic of 64-64 tanh each.

What the clock calls an epoch is either some thousand steps in the world with stable-baselines3's own tuned settings, or learning
from nothing until the last 100 training episodes pay 475 on average, each contestant with its own settings, from three seeds.
"""

from dataclasses import dataclass

CONTESTANTS = ("gradatim", "stable_baselines3")
SOLVED, SEEDS, MOST = 475.0, (0, 1, 2), 200_000


@dataclass(frozen=True)
class Task:
    """What to do.

    Args:
        steps: Steps in the world of an epoch; ``None`` to learn until solved.
        seeds: Seeds that are learned from, one after the other, until solved.
        most: Steps after which a seed is given up.
        source: What the data are.
    """

    steps: int | None
    seeds: tuple[int, ...] = SEEDS
    most: int = MOST
    source: str = "CartPole-v1"

    @property
    def flops(self) -> int:
        """Multiplications and additions of the tuned settings: 20 epochs forwards and back through both networks."""
        weights = 2 * (4 * 64 + 64 * 64) + 3 * 64
        return 6 * weights * 20 * (self.steps or 30_000 * len(self.seeds))
