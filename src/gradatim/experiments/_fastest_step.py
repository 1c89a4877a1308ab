"""What a step of training costs on a machine with nothing else to do."""

import time

from torch import Tensor

from gradatim.training import Callback, Trainer


class FastestStep(Callback):
    """Note the least time of processors for a full batch: what a step costs when nobody else computes."""

    any_layout = True

    def __init__(self) -> None:
        self.seconds, self.before, self.steps = float("inf"), float("-inf"), 0

    @property
    def minutes(self) -> float:
        """Minutes of one core for all steps, had each been as fast as the fastest."""
        return self.steps * self.seconds / 60

    def on_batch_end(self, trainer: Trainer, loss: Tensor | None) -> None:
        now = time.process_time()
        assert trainer.train_batches is not None
        if trainer.position != trainer.train_batches.steps:  # the last batch of an epoch is smaller
            self.seconds = min(self.seconds, now - self.before)
        self.before, self.steps = now, trainer.steps
