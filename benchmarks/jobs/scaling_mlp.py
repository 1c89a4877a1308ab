"""MLP of 235 thousand weights by a pair of processes: what their messages cost."""

from benchmarks.contestants.scaling.task import BATCH, CONTESTANTS, Task, make_task
from benchmarks.jobs.job import Claim, Job

STEPS, QUICK_STEPS = 200, 20


def load_task(quick: bool) -> Task:
    """Make noise."""
    return make_task("mlp", QUICK_STEPS if quick else STEPS)


JOB = Job(
    name="scaling-mlp",
    title=f"MLP of 235 thousand weights, batches of {BATCH['mlp']} by 2 processes of 1 thread, {STEPS} steps",
    family="scaling",
    contestants=CONTESTANTS,
    load=load_task,
    check="training loss",
    epochs=2,
    claims=(Claim("ddp"),),
    unit=f"{STEPS} steps",
)
