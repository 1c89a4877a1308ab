"""The Kalman filter along a hundred sequences that share one system."""

from benchmarks.contestants.kalman.task import CONTESTANTS, build_task
from benchmarks.jobs.job import EVERYBODY, Claim, Job

JOB = Job(
    name="kalman",
    title="Kalman filter, state of 4, observations of 2, 100 sequences of 1,000",
    family="kalman",
    contestants=CONTESTANTS,
    load=build_task,
    check="log-likelihood per number",
    epochs=3,
    claims=(Claim("statsmodels", 3.0), Claim(EVERYBODY, is_goal=True)),
    unit="pass",
)
