"""Text token by token: what was computed once should not be computed again."""

from benchmarks.contestants.generation.task import CONTESTANTS, Task, make_task
from benchmarks.jobs.job import Claim, Job

TOKENS, QUICK_TOKENS = 256, 32


def load_task(quick: bool) -> Task:
    """Take a prompt of 16 tokens."""
    return make_task(QUICK_TOKENS if quick else TOKENS)


JOB = Job(
    name="gpt-generate",
    title="256 greedy tokens from a GPT of 4 layers, width 256, 8 heads",
    family="generation",
    contestants=CONTESTANTS,
    load=load_task,
    check="tokens written",
    epochs=2,
    claims=(Claim("whole_prefix", 7.0), Claim("hugging_face", 2.0)),
    unit="text",
)
