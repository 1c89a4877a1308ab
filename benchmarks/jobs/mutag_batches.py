"""Batches of small graphs: cut out of few tensors, or put together from many."""

from benchmarks.contestants.graph_batches.task import CONTESTANTS, build_task
from benchmarks.jobs.job import Claim, Job

JOB = Job(
    name="mutag-batches",
    title="MUTAG in shuffled batches of 32",
    family="graph_batches",
    contestants=CONTESTANTS,
    load=build_task,
    check="nodes and edges",
    epochs=20,
    claims=(Claim("pyg_loader", 5.0),),
    unit="pass",
)
