"""scikit-learn's ``cross_val_score`` with its own network, in float32."""

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.cross_validation.task import Task
from benchmarks.contestants.threads import ONE_THREAD, THREADS, available_threads

TITLE = "scikit-learn, cross_val_score"
REQUIRES = ("sklearn",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    model = MLPClassifier(
        task.sizes[1:-1],
        alpha=0.0,
        batch_size=task.batch_size,
        learning_rate_init=task.lr,
        max_iter=task.epochs,
        n_iter_no_change=task.epochs + 1,
    )
    means: list[float] = []

    def train(epochs: int, tick: Tick) -> None:
        jobs = 1 if variant == ONE_THREAD else available_threads()
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore", ConvergenceWarning)  # every run ends at max_iter
            for _ in range(epochs):
                scores = cross_val_score(model, task.X, task.y, cv=task.splits, n_jobs=jobs)
                means.append(float(scores.mean()))
                tick()

    return Contestant(train, lambda: means[-1])
