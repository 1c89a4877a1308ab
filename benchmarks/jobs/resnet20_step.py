"""ResNet-20 on images of 32×32: most of the time is convolutions."""

import numpy as np

from benchmarks.contestants.images.task import IMAGE_CONTESTANTS, Task
from benchmarks.jobs.job import EVERYBODY, Claim, Job

STEPS, QUICK_STEPS, BATCH = 5, 2, 128


def load_task(quick: bool) -> Task:
    """Make noise in the shape of CIFAR-10, which costs the same."""
    rows = (QUICK_STEPS if quick else STEPS) * BATCH
    noise = np.random.default_rng(0)
    X = noise.random((rows, 3, 32, 32), dtype=np.float32)
    y = noise.integers(0, 10, rows)
    return Task(X, y, "resnet20", BATCH, f"noise, {rows:,} images of 32×32")


JOB = Job(
    name="resnet20-step",
    title="ResNet-20, batches of 128, 5 steps",
    family="images",
    contestants=IMAGE_CONTESTANTS,
    load=load_task,
    check="training accuracy",
    epochs=2,
    claims=(Claim("channels_first"), Claim("channels_last"), Claim(EVERYBODY, is_goal=True)),
    unit="5 steps",
)
