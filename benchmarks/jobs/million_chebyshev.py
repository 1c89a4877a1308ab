"""Filters of a large graph: order 20 costs twice what order 10 costs."""

from benchmarks.contestants.graph_filters.task import CONTESTANTS, Task
from benchmarks.jobs.job import Claim, Job
from benchmarks.jobs.million import load_million


def load_task(quick: bool) -> Task:
    """Draw a graph and signals."""
    whole = load_million(quick)
    return Task(whole.x, whole.edge_index, whole.source)


JOB = Job(
    name="million-chebyshev",
    title="Chebyshev filters of 32 signals on a million nodes",
    family="graph_filters",
    contestants=CONTESTANTS,
    load=load_task,
    check="length",
    epochs=1,
    claims=(Claim("order_10", 1 / 2.3),),
    unit="filter",
)
