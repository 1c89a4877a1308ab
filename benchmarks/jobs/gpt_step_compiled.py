"""The same language model, compiled."""

from benchmarks.contestants.gpt.task import CONTESTANTS
from benchmarks.jobs.gpt_step import load_task
from benchmarks.jobs.job import Claim, Job

JOB = Job(
    name="gpt-step-compiled",
    title="the same GPT, compiled",
    family="gpt_compiled",
    contestants=CONTESTANTS,
    load=load_task,
    check="training loss",
    epochs=2,
    claims=(Claim("nano_gpt"),),
    unit="8 steps",
)
