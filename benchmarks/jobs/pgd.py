"""An attack on a batch of images: the network's own layers take nearly all of the time."""

import numpy as np

from benchmarks.contestants.pgd.task import CONTESTANTS, Task
from benchmarks.jobs.job import Claim, Job
from gradatim.data import load
from gradatim.errors import Unavailable

IMAGES, QUICK_IMAGES = 256, 64


def load_task(quick: bool) -> Task:
    """Take MNIST from the cache, or noise of the same shape, which costs the same."""
    rows = QUICK_IMAGES if quick else IMAGES
    try:
        X, _ = load("mnist").test
        source = f"MNIST, {rows} test images"
    except Unavailable:
        X = np.random.default_rng(0).random((rows, 1, 28, 28), dtype=np.float32)
        source = f"random data in the shape of MNIST, {rows} images (gradatim data get mnist)"
    return Task(np.ascontiguousarray(X[:rows]), source)


JOB = Job(
    name="pgd",
    title="PGD-20 in the maximum norm on 256 images of 28×28, two convolutions and two dense layers",
    family="pgd",
    contestants=CONTESTANTS,
    load=load_task,
    check="loss after",
    epochs=1,
    claims=(Claim("torchattacks"), Claim("foolbox"), Claim("hand_written")),
    unit="attack",
)
