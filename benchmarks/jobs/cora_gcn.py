"""A graph convolutional network on Cora: most of its features are zeros, which dense ones multiply."""

from benchmarks.contestants.nodes.task import GCN
from benchmarks.jobs.cora import CONTESTANTS, load_cora
from benchmarks.jobs.job import Claim, Job

JOB = Job(
    name="cora-gcn",
    title="GCN 1433-16-7 on Cora, an epoch is one step on the whole graph",
    family="nodes",
    contestants=CONTESTANTS,
    load=lambda quick: load_cora(GCN, hidden_dim=16, dropout=0.5, quick=quick),
    check="training loss",
    epochs=20,
    claims=(Claim("pyg_dense", 10.0), Claim("pyg_sparse")),
)
