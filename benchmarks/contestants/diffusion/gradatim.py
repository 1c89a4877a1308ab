"""Gradatim as it comes."""

import torch
from torch import Tensor

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.diffusion.task import Task
from benchmarks.contestants.epoch_end import EpochEnd
from benchmarks.contestants.threads import THREADS, set_torch_threads
from gradatim.generative import Diffusion, DiffusionObjective, sample
from gradatim.training import Trainer

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    network = task.network()
    model = Diffusion(network, num_steps=task.num_steps)
    drawn: list[Tensor | None] = [None]

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        if not task.is_training:
            for _ in range(epochs):
                source = torch.Generator().manual_seed(0)
                drawn[0] = sample(model, len(task.X), steps=task.steps, label=torch.from_numpy(task.y), generator=source)  # fmt: skip
                tick()
            return
        trainer = Trainer(
            model,
            objective=DiffusionObjective(),
            lr=task.lr,
            epochs=epochs,
            batch_size=task.batch_size,
            callbacks=[EpochEnd(tick)],
            device="cpu",
            progress=False,
        )
        trainer.fit((task.X, task.y))

    return Contestant(train, lambda: task.figure(network, drawn[0]))
