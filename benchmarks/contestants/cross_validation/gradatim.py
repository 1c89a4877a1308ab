"""Gradatim as it comes: all folds train as one computation."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.cross_validation.task import Task
from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import CrossValidation, cross_validate

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = ("as it comes",)


def build(task: Task, variant: str) -> Contestant:
    model = NeuralClassifier(
        task.sizes[1:-1],
        batch_size=task.batch_size,
        epochs=task.epochs,
        lr=task.lr,
        standardize=False,
        device="cpu",
    )
    results: list[CrossValidation] = []

    def train(epochs: int, tick: Tick) -> None:
        for _ in range(epochs):
            results.append(cross_validate(model, task.X, task.y, folds=task.splits))
            tick()

    return Contestant(train, lambda: results[-1].mean)
