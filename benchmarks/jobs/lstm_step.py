"""An LSTM in training: the same equations as PyTorch's module, and the same kernel."""

from benchmarks.contestants.recurrent.task import CONTESTANTS, Task, make_task
from benchmarks.jobs.job import Claim, Job

STEPS, QUICK_STEPS = 16, 2


def load_task(quick: bool) -> Task:
    """Draw noise."""
    steps = QUICK_STEPS if quick else STEPS
    return make_task("lstm", "LSTM", steps=steps, batch_size=32, length=100)


JOB = Job(
    name="lstm-step",
    title="LSTM of width 128, sequences of 100 steps, batches of 32, 16 training steps",
    family="recurrent",
    contestants=CONTESTANTS,
    load=load_task,
    check="training loss",
    epochs=2,
    claims=(Claim("fused_modules", 0.97),),  # two runs of one kernel differ by as much
    unit="16 steps",
)
