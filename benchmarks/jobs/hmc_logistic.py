"""Draws of Hamiltonian Monte Carlo from the weights of a logistic regression, 64 chains side by side."""

from benchmarks.contestants.chains.task import CONTESTANTS, build_task
from benchmarks.jobs.job import Claim, Job

JOB = Job(
    name="hmc-logistic",
    title="Hamiltonian Monte Carlo, logistic regression, 64 chains of 250 draws of 10 leapfrog steps",
    family="chains",
    contestants=CONTESTANTS,
    load=build_task,
    check="effective draws per draw",
    epochs=1,
    claims=(Claim("blackjax", 1.2), Claim("blackjax_compiled", 0.7)),
    unit="run",
)
