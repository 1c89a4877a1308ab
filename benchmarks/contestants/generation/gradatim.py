"""Gradatim with its cache of keys and values."""

import torch

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.generation.task import Task
from benchmarks.contestants.threads import THREADS, set_torch_threads
from gradatim.decoding import generate
from gradatim.models import GPT

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str, *, use_cache: bool = True) -> Contestant:
    torch.manual_seed(0)
    model = GPT(task.vocab_size, task.context, task.dim, task.num_layers, task.num_heads).eval()
    written = [0]

    def write(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            tokens = generate(
                model, task.prompt, task.num_tokens, temperature=0.0, use_cache=use_cache
            )
            written[0] = tokens.shape[1]
            tick()

    return Contestant(write, lambda: float(written[0]))
