"""GPT of 3.2 million weights by a pair of processes: what their messages cost."""

from benchmarks.contestants.scaling.task import BATCH, CONTESTANTS, Task, make_task
from benchmarks.jobs.job import Claim, Job

STEPS, QUICK_STEPS = 6, 2


def load_task(quick: bool) -> Task:
    """Make noise."""
    return make_task("gpt", QUICK_STEPS if quick else STEPS)


JOB = Job(
    name="scaling-gpt",
    title=f"GPT of 3.2 million weights, batches of {BATCH['gpt']} by 2 processes of 1 thread, {STEPS} steps",
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
