"""The evidence of a Gaussian process of a thousand rows, and its gradient."""

from functools import partial

from benchmarks.contestants.processes.task import EXACT, build_task
from benchmarks.jobs.job import EVERYBODY, Claim, Job

JOB = Job(
    name="gp-exact",
    title="exact Gaussian process, evidence and gradient by ten parameters, float64",
    family="processes",
    contestants=EXACT,
    load=partial(build_task, rows=1000),
    check="evidence and slopes per row",
    epochs=50,
    claims=(Claim(EVERYBODY, 2.0),),
    unit="evaluation",
)
