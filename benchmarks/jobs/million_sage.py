"""GraphSAGE on a large graph, by samples of neighbours; PyTorch Geometric needs a compiled extension for these."""

from benchmarks.jobs.job import Job
from benchmarks.jobs.million import load_million

JOB = Job(
    name="million-sage",
    title="GraphSAGE 32-16-8 on a million nodes, 20 batches of 1,024 with 10 and 5 neighbours",
    family="sampled_nodes",
    contestants=("gradatim",),
    load=load_million,
    check="training loss",
    epochs=1,
    claims=(),
    unit="20 steps",
    most_gigabytes=3.0,
)
