"""The same language model against a compiled one: where compiling does not pay, Gradatim does without."""

from benchmarks.contestants.gpt.task import CONTESTANTS
from benchmarks.jobs.gpt_step import load_task
from benchmarks.jobs.job import Claim, Job

JOB = Job(
    name="gpt-step-compiled",
    title="the same GPT against nanoGPT compiled",
    family="gpt_compiled",
    contestants=CONTESTANTS,
    load=load_task,
    check="training loss",
    epochs=2,
    claims=(Claim("nano_gpt"),),
    unit="8 steps",
)
