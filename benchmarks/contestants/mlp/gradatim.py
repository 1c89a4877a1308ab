"""Gradatim as it comes: it chooses threads and path itself."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.mlp.task import Task
from benchmarks.contestants.mlp.torch_network import training_accuracy
from gradatim.models import MLP
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
    model = MLP(task.sizes)

    def train(epochs: int, tick: Tick) -> None:
        trainer = Trainer(
            model,
            lr=task.lr,
            epochs=epochs,
            batch_size=task.batch_size,
            callbacks=[_EpochEnd(tick)],
            device="cpu",
        )
        trainer.fit((task.X, task.y))

    return Contestant(train, lambda: training_accuracy(task, model))
