"""Gradatim's model and trainer as they come."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.epoch_end import EpochEnd
from benchmarks.contestants.recurrent.task import Task
from benchmarks.contestants.threads import ALL_THREADS, set_torch_threads
from gradatim.models import SequenceClassifier
from gradatim.training import Trainer

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = ("as it comes",)


def build(task: Task, variant: str) -> Contestant:
    model = SequenceClassifier(task.width, task.classes, hidden_dim=task.width, cell=task.cell)
    losses: list[float] = []

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(ALL_THREADS)
        trainer = Trainer(
            model, lr=task.lr, epochs=epochs, batch_size=task.batch_size, callbacks=[EpochEnd(tick)], device="cpu",
        )  # fmt: skip
        losses.append(trainer.fit((task.x, task.y))["train_loss"][-1])

    return Contestant(train, lambda: losses[-1])
