"""The bound of a Gaussian process of a hundred thousand rows with 256 inducing points, and its gradient: 50 in three minutes."""

from functools import partial

from benchmarks.contestants.processes.task import SPARSE, build_task
from benchmarks.jobs.job import Claim, Job

JOB = Job(
    name="gp-sparse",
    title="Gaussian process with 256 inducing points, bound and gradient by ten parameters, float64",
    family="processes",
    contestants=SPARSE,
    load=partial(build_task, rows=100_000, num_inducing=256),
    check="bound and slopes per row",
    epochs=3,
    claims=(Claim("autograd", 2.0),),
    unit="evaluation",
    most_seconds=180 / 50,
)
