"""Gradatim's model and trainer as they come."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.recurrent.task import Task
from benchmarks.contestants.threads import ALL_THREADS, set_torch_threads
from gradatim.models import SequenceClassifier
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
    model = SequenceClassifier(task.width, task.classes, hidden_dim=task.width, cell=task.cell)
    losses: list[float] = []

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(ALL_THREADS)
        trainer = Trainer(
            model, lr=task.lr, epochs=epochs, batch_size=task.batch_size, callbacks=[_EpochEnd(tick)], device="cpu",
        )  # fmt: skip
        losses.append(trainer.fit((task.x, task.y))["train_loss"][-1])

    return Contestant(train, lambda: losses[-1])
