"""The largest eigenvalue of a Hessian, by Lanczos' method and by power iteration."""

from benchmarks.contestants.hessian_top.task import CONTESTANTS, build_task
from benchmarks.jobs.job import Claim, Job

JOB = Job(
    name="hessian-top",
    title="Largest eigenvalue of the Hessian of a trained LeNet, to 1e-3",
    family="hessian_top",
    contestants=CONTESTANTS,
    load=build_task,
    check="eigenvalue",
    epochs=2,
    claims=(Claim("power_iteration"),),
    unit="search",
)
