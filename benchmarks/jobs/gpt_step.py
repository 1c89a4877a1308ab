"""A small language model: matrix products, attention, and little around them."""

from benchmarks.contestants.gpt.task import CONTESTANTS, Task, make_task
from benchmarks.jobs.job import Claim, Job

STEPS, QUICK_STEPS = 8, 2


def load_task(quick: bool) -> Task:
    """Make random windows."""
    return make_task(QUICK_STEPS if quick else STEPS)


JOB = Job(
    name="gpt-step",
    title="GPT of 4 layers, width 256, 8 heads, context 256, batches of 8, 8 steps",
    family="gpt",
    contestants=CONTESTANTS,
    load=load_task,
    check="training loss",
    epochs=2,
    claims=(Claim("nano_gpt"),),
    unit="8 steps",
)
