"""A graph attention network on Cora."""

from benchmarks.contestants.nodes.task import GAT
from benchmarks.jobs.cora import CONTESTANTS, load_cora
from benchmarks.jobs.job import Claim, Job

JOB = Job(
    name="cora-gat",
    title="GAT with 8 heads of 8 on Cora, an epoch is one step on the whole graph",
    family="nodes",
    contestants=CONTESTANTS,
    load=lambda quick: load_cora(GAT, hidden_dim=64, dropout=0.6, quick=quick),
    check="training loss",
    epochs=20,
    claims=(Claim("pyg_dense", 4.0), Claim("pyg_sparse")),
)
