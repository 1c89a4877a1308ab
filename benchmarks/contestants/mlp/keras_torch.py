"""Keras on PyTorch."""

import os

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.mlp.keras_network import compiled_network, fit, training_accuracy
from benchmarks.contestants.mlp.task import Task
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "Keras on PyTorch"
REQUIRES = ("keras", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    os.environ["KERAS_BACKEND"] = "torch"
    model = compiled_network(task)

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        fit(model, task, epochs, tick)

    return Contestant(train, lambda: training_accuracy(task, model))
