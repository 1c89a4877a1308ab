"""A middle-sized network on the handwritten digits: most of the time is matrix products."""

import numpy as np

from benchmarks.contestants.mlp.task import MLP_CONTESTANTS, Task
from benchmarks.jobs.job import EVERYBODY, Claim, Job
from gradatim.data import load
from gradatim.errors import Unavailable

ROWS, QUICK_ROWS = 60_000, 6_400


def load_task(quick: bool) -> Task:
    """Take MNIST from the cache, or noise of the same shape, which costs the same."""
    rows = QUICK_ROWS if quick else ROWS
    try:
        X, y = load("mnist").train
        source = f"MNIST, {rows:,} rows"
    except Unavailable:
        noise = np.random.default_rng(0)
        X = noise.random((rows, 784), dtype=np.float32)
        y = noise.integers(0, 10, rows)
        source = f"random data in the shape of MNIST, {rows:,} rows (gradatim data get mnist)"
    X = np.ascontiguousarray(X[:rows].reshape(rows, 784))
    return Task(X, y[:rows].copy(), (784, 256, 128, 10), batch_size=128, source=source)


JOB = Job(
    name="mnist-mlp",
    title="MNIST, 784-256-128-10 ReLU, batches of 128",
    family="mlp",
    contestants=MLP_CONTESTANTS,
    load=load_task,
    check="training accuracy",
    epochs=2,
    claims=(Claim("hand_tuned"), Claim("dataloader", 1.3), Claim(EVERYBODY, is_goal=True)),
)
