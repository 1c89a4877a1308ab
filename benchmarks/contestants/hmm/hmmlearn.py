"""hmmlearn, whose recursions are C++, with scaling and with logarithms."""

import numpy as np

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.hmm.task import FIT, Task

TITLE = "hmmlearn"
REQUIRES = ("hmmlearn",)
VARIANTS = ("scaling", "log")


def build(task: Task, variant: str) -> Contestant:
    from hmmlearn.hmm import CategoricalHMM

    states, symbols = task.emission.shape
    rows, lengths = task.y.reshape(-1, 1), [task.y.shape[1]] * len(task.y)
    scores = [0.0]

    def fresh() -> CategoricalHMM:
        model = CategoricalHMM(
            states, n_features=symbols, n_iter=task.iterations, tol=-np.inf, init_params="", implementation=variant,
        )  # fmt: skip
        model.startprob_, model.transmat_ = task.start.copy(), task.transition.copy()
        model.emissionprob_ = task.emission.copy()
        return model

    model = fresh()

    def once() -> float:
        if task.goal == FIT:
            return float(fresh().fit(rows, lengths).monitor_.history[-1])
        return float(model.decode(rows, lengths)[0])

    def train(epochs: int, tick: Tick) -> None:
        for _ in range(epochs):
            scores.append(once())
            tick()

    return Contestant(train, lambda: scores[-1] / task.y.size)
