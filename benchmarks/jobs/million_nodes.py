"""A graph convolutional network on a large graph: what has a row for every edge does not fit."""

from benchmarks.jobs.job import MEMORY, Claim, Job
from benchmarks.jobs.million import load_million

JOB = Job(
    name="million-nodes",
    title="GCN 32-16-8 on a million nodes, an epoch is one step on the whole graph",
    family="nodes",
    contestants=("gradatim", "pyg_dense"),
    load=load_million,
    check="training loss",
    epochs=1,
    claims=(Claim("pyg_dense", 4.0), Claim("pyg_dense", 2.0, figure=MEMORY)),
)
