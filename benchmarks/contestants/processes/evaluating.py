"""What all contestants of this folder do alike: evaluate place after place."""

from collections.abc import Callable

import numpy as np

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.processes.task import Task
from benchmarks.contestants.threads import set_torch_threads

Evaluate = Callable[[np.ndarray], tuple[float, np.ndarray]]


def evaluate_in_turn(task: Task, variant: str, evaluate: Evaluate) -> Contestant:
    """A contestant that evaluates; its figure is the evidence at place 0 and the slopes there, summed, per row.

    Args:
        task: Gives the places.
        variant: Threads.
        evaluate: Gives evidence and gradient at a place.
    """

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for number in range(epochs):
            evaluate(task.place(number))
            tick()

    def check() -> float:
        value, gradient = evaluate(task.place(0))
        return float(value + np.sum(gradient)) / len(task.y)

    return Contestant(train, check)
