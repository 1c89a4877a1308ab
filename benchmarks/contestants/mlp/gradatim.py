"""Gradatim as it comes: it chooses threads and path itself."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.epoch_end import EpochEnd
from benchmarks.contestants.mlp.task import Task
from benchmarks.contestants.mlp.torch_network import training_accuracy
from gradatim.models import MLP
from gradatim.training import Trainer

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = ("as it comes",)


def build(task: Task, variant: str) -> Contestant:
    model = MLP(task.sizes)

    def train(epochs: int, tick: Tick) -> None:
        trainer = Trainer(
            model,
            lr=task.lr,
            epochs=epochs,
            batch_size=task.batch_size,
            callbacks=[EpochEnd(tick)],
            device="cpu",
        )
        trainer.fit((task.X, task.y))

    return Contestant(train, lambda: training_accuracy(task, model))
