"""scikit-learn's own network, in float32; it shuffles once per epoch, and that is its clock."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.mlp.task import Task
from benchmarks.contestants.threads import ONE_THREAD, THREADS

TITLE = "scikit-learn"
REQUIRES = ("sklearn",)
VARIANTS = THREADS


class _TickingShuffle(np.random.RandomState):
    tick: Tick

    def shuffle(self, x: Any) -> None:
        self.tick()
        super().shuffle(x)


def build(task: Task, variant: str) -> Contestant:
    random_state = _TickingShuffle(0)
    network = MLPClassifier(
        hidden_layer_sizes=task.sizes[1:-1],
        alpha=0.0,
        batch_size=task.batch_size,
        learning_rate_init=task.lr,
        n_iter_no_change=10**9,
        warm_start=True,
        random_state=random_state,
    )

    def train(epochs: int, tick: Tick) -> None:
        random_state.tick = tick
        network.set_params(max_iter=epochs)
        with threadpool_limits(1 if variant == ONE_THREAD else None), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            network.fit(task.X, task.y)

    return Contestant(train, lambda: task.accuracy(network.predict_proba(task.X)))
