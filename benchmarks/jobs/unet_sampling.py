"""A diffusion model on images of 28×28 draws: ten looks at the network, in second order."""

import numpy as np

from benchmarks.contestants.diffusion.task import CONTESTANTS, Task
from benchmarks.jobs.job import Claim, Job

IMAGES, QUICK_IMAGES = 512, 256


def load_task(quick: bool) -> Task:
    """Ask for images by class; what the network has learned costs nothing."""
    rows = QUICK_IMAGES if quick else IMAGES
    X = np.zeros((rows, 1, 28, 28), dtype=np.float32)
    return Task(X, np.arange(rows) % 10, is_training=False, source=f"{rows:,} samples of 28×28")


JOB = Job(
    name="unet-sampling",
    title="512 samples of a U-Net of diffusion by class, 10 looks in second order",
    family="diffusion",
    contestants=CONTESTANTS,
    load=load_task,
    check="deviation of the pixels",
    epochs=1,
    claims=(Claim("hand_written"),),
    unit="512 samples",
)
