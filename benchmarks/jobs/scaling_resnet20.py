"""ResNet-20 by a pair of processes: what their messages cost."""

from benchmarks.contestants.scaling.task import BATCH, CONTESTANTS, Task, make_task
from benchmarks.jobs.job import Claim, Job

STEPS, QUICK_STEPS = 6, 2


def load_task(quick: bool) -> Task:
    """Make noise."""
    return make_task("resnet20", QUICK_STEPS if quick else STEPS)


JOB = Job(
    name="scaling-resnet20",
    title=f"ResNet-20, batches of {BATCH['resnet20']} by 2 processes of 1 thread, {STEPS} steps",
    family="scaling",
    contestants=CONTESTANTS,
    load=load_task,
    check="training loss",
    epochs=2,
    claims=(
        Claim("ddp"),
        Claim("independent", 0.9),
    ),
    unit=f"{STEPS} steps",
)
