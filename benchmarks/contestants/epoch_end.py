"""How Gradatim's trainer tells the stop-watch that an epoch has ended."""

from benchmarks.contestants.contestant import Tick
from gradatim.training import Callback, Trainer


class EpochEnd(Callback):
    """Call ``tick`` after every epoch."""

    def __init__(self, tick: Tick) -> None:
        self.tick = tick

    def on_epoch_end(self, trainer: Trainer, record: dict[str, float]) -> None:
        self.tick()
