"""Gradatim as it comes: it chooses the order of channels itself."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.images.task import Task
from benchmarks.contestants.threads import ALL_THREADS, set_torch_threads
from gradatim.training import Trainer
from gradatim.training.callbacks import Callback

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = ("as it comes",)


class _EpochEnd(Callback):
    def __init__(self, tick: Tick) -> None:
        self.tick = tick

    def on_epoch_end(self, trainer: Trainer, record: dict[str, float]) -> None:
        self.tick()


def build(task: Task, variant: str) -> Contestant:
    model = task.model()

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(ALL_THREADS)
        trainer = Trainer(
            model,
            lr=task.lr,
            epochs=epochs,
            batch_size=task.batch_size,
            callbacks=[_EpochEnd(tick)],
            device="cpu",
        )
        trainer.fit((task.X, task.y))

    return Contestant(train, lambda: task.accuracy(model))
