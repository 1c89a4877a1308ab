"""Gradatim's trainer in a pair of processes, as it comes."""

import torch

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.epoch_end import EpochEnd
from benchmarks.contestants.scaling.pair import in_pair
from benchmarks.contestants.scaling.task import Task
from gradatim.losses import token_cross_entropy
from gradatim.training import Trainer

TITLE = "Gradatim, 2 processes"
REQUIRES = ("gradatim", "torch")
VARIANTS = ("1 thread each",)


def work(task: Task) -> Contestant:
    """Train by the processes of the environment."""
    model, losses = task.model(), list[float]()
    loss = token_cross_entropy if task.network == "gpt" else "cross_entropy"

    def train(epochs: int, tick: Tick) -> None:
        torch.set_num_threads(1)
        trainer = Trainer(
            model, loss, "adamw", lr=task.lr, epochs=epochs, batch_size=task.batch_size, callbacks=[EpochEnd(tick)],
            device="cpu", progress=False,
        )  # fmt: skip
        losses.append(trainer.fit((task.X, task.y))["train_loss"][-1])

    return Contestant(train, lambda: losses[-1])


def build(task: Task, variant: str) -> Contestant:
    return in_pair("gradatim", task, work)
