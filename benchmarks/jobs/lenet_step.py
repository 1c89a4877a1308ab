"""LeNet on digits: convolutions so small that what happens between them counts."""

import numpy as np

from benchmarks.contestants.images.task import IMAGE_CONTESTANTS, Task
from benchmarks.jobs.job import EVERYBODY, Claim, Job

STEPS, BATCH = 100, 64


def load_task(quick: bool) -> Task:
    """Make noise in the shape of MNIST, which costs the same."""
    rows = STEPS * BATCH
    noise = np.random.default_rng(0)
    X = noise.random((rows, 1, 28, 28), dtype=np.float32)
    return Task(X, noise.integers(0, 10, rows), "lenet", BATCH, f"noise, {rows:,} images of 28×28")


JOB = Job(
    name="lenet-step",
    title="LeNet, batches of 64, 100 steps",
    family="images",
    contestants=IMAGE_CONTESTANTS,
    load=load_task,
    check="training accuracy",
    epochs=3,
    claims=(Claim("channels_first"), Claim("channels_last"), Claim(EVERYBODY, is_goal=True)),
    unit="100 steps",
)
