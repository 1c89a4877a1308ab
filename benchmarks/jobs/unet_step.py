"""A diffusion model on images of 28×28 learns: most of the time is convolutions."""

import numpy as np

from benchmarks.contestants.diffusion.task import CONTESTANTS, Task
from benchmarks.jobs.job import Claim, Job

STEPS, QUICK_STEPS, BATCH = 5, 2, 128


def load_task(quick: bool) -> Task:
    """Make noise in the shape of MNIST, which costs the same."""
    rows = (QUICK_STEPS if quick else STEPS) * BATCH
    noise = np.random.default_rng(0)
    X = noise.uniform(-1, 1, (rows, 1, 28, 28)).astype(np.float32)
    source = f"noise, {rows:,} images of 28×28"
    return Task(X, noise.integers(0, 10, rows), is_training=True, source=source)


JOB = Job(
    name="unet-step",
    title="A U-Net of diffusion by class, batches of 128, 5 steps",
    family="diffusion",
    contestants=CONTESTANTS,
    load=load_task,
    check="error about the noise",
    epochs=2,
    claims=(Claim("hand_written"),),
    unit="5 steps",
)
