"""Gradatim as it comes: it chooses the order of channels itself."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.epoch_end import EpochEnd
from benchmarks.contestants.images.task import Task
from benchmarks.contestants.threads import ALL_THREADS, set_torch_threads
from gradatim.training import Trainer

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = ("as it comes",)


def build(task: Task, variant: str) -> Contestant:
    model = task.model()

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(ALL_THREADS)
        trainer = Trainer(
            model,
            lr=task.lr,
            epochs=epochs,
            batch_size=task.batch_size,
            callbacks=[EpochEnd(tick)],
            device="cpu",
        )
        trainer.fit((task.X, task.y))

    return Contestant(train, lambda: task.accuracy(model))
