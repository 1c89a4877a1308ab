"""Twenty rounds of Baum-Welch: many small steps, one after the other."""

from benchmarks.contestants.hmm.task import CONTESTANTS, FIT, Task, build_task
from benchmarks.jobs.job import Claim, Job


def load_task(quick: bool) -> Task:
    """Draw symbols."""
    return build_task(FIT, quick)


JOB = Job(
    name="hmm-fit",
    title="hidden Markov model, 8 states, 20 symbols, 100 sequences of 200, 20 rounds of Baum-Welch",
    family="hmm",
    contestants=CONTESTANTS,
    load=load_task,
    check="log-likelihood per symbol",
    epochs=2,
    claims=(Claim("hmmlearn"),),
    unit="fit",
)
