"""statsmodels, whose filter is Cython, one sequence after the other."""

import numpy as np

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.kalman.task import Task

TITLE = "statsmodels"
REQUIRES = ("statsmodels",)
VARIANTS = ("as it comes",)


def build(task: Task, variant: str) -> Contestant:
    from statsmodels.tsa.statespace.kalman_filter import KalmanFilter

    m, scores = task.system, [0.0]

    def bind(rows: np.ndarray) -> KalmanFilter:
        model = KalmanFilter(k_endog=2, k_states=4, selection=np.eye(4))
        model["design"], model["transition"] = m["C"], m["A"]
        model["state_cov"], model["obs_cov"] = m["Q"], m["R"]
        model.initialize_known(m["mean0"], m["cov0"])
        model.bind(rows)
        return model

    # a filter that has run keeps the data of its first run, whatever is bound later
    models = [bind(rows) for rows in task.y]

    def train(epochs: int, tick: Tick) -> None:
        for _ in range(epochs):
            scores.append(sum(float(model.filter().llf) for model in models))
            tick()

    return Contestant(train, lambda: scores[-1] / task.y.size)
