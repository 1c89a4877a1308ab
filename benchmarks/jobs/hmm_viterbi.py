"""The best paths of a hundred sequences."""

from benchmarks.contestants.hmm.task import CONTESTANTS, VITERBI, Task, build_task
from benchmarks.jobs.job import Claim, Job


def load_task(quick: bool) -> Task:
    """Draw symbols."""
    return build_task(VITERBI, quick)


JOB = Job(
    name="hmm-viterbi",
    title="hidden Markov model, 8 states, 20 symbols, 100 sequences of 200, best paths",
    family="hmm",
    contestants=CONTESTANTS,
    load=load_task,
    check="log-probability per symbol",
    epochs=20,
    claims=(Claim("hmmlearn"),),
    unit="decoding",
)
