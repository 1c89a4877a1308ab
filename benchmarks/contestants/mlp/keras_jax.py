"""Keras on JAX: the step is compiled; also several steps in one compiled call."""

import os

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.mlp.keras_network import compiled_network, fit, training_accuracy
from benchmarks.contestants.mlp.task import Task

TITLE = "Keras on JAX"
REQUIRES = ("keras", "jax")
VARIANTS = ("1 step per call", "16 steps per call")


def build(task: Task, variant: str) -> Contestant:
    os.environ["KERAS_BACKEND"] = "jax"
    model = compiled_network(task, steps_per_call=int(variant.split()[0]))
    return Contestant(
        lambda epochs, tick: fit(model, task, epochs, tick), lambda: training_accuracy(task, model)
    )
