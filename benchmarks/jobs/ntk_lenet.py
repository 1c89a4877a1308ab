"""The tangent kernel of LeNet on two hundred images."""

from benchmarks.contestants.tangent_kernel.task import CONTESTANTS, build_task
from benchmarks.jobs.job import Claim, Job

JOB = Job(
    name="ntk-lenet",
    title="Tangent kernel of LeNet, all pairs of 200 images and of 10 outputs",
    family="tangent_kernel",
    contestants=CONTESTANTS,
    load=build_task,
    check="size of an entry",
    epochs=1,
    claims=(Claim("vmap_jacrev", 8.0),),
    unit="kernel",
)
