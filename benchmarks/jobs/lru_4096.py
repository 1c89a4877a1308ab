"""Long sequences: a linear recurrence that is scanned, beside an LSTM, which must wait for every step."""

from benchmarks.contestants.recurrent.task import CONTESTANTS, Task, make_task
from benchmarks.jobs.job import Claim, Job

STEPS, QUICK_STEPS = 2, 1


def load_task(quick: bool) -> Task:
    """Draw noise."""
    steps = QUICK_STEPS if quick else STEPS
    return make_task("lru", "LSTM", steps=steps, batch_size=8, length=4096)


JOB = Job(
    name="lru-4096",
    title="LRU against LSTM, width 128, sequences of 4,096 steps, batches of 8, 2 training steps",
    family="recurrent",
    contestants=CONTESTANTS,
    load=load_task,
    check="training loss",
    epochs=2,
    claims=(Claim("fused_modules", 5.0),),
    unit="2 steps",
)
