"""The jobs on graphs, small, and what is said about memory."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from benchmarks.contestants.contestant import Contestant, find_contestant, missing_packages
from benchmarks.contestants.nodes.gradatim import build_model
from benchmarks.contestants.nodes.task import Task
from benchmarks.harness import Result, Row, run_job
from benchmarks.jobs import MEMORY, Claim, all_jobs
from benchmarks.verdicts import judge

from benchmarks import memory, remote, report, worker
from gradatim.nn.gat_layer import GATLayer

JOBS = ["cora-gcn", "cora-gat", "mutag-batches", "million-nodes", "million-chebyshev", "million-sage"]  # fmt: skip


@pytest.fixture(scope="module")
def tasks():
    return {name: all_jobs()[name].load(True) for name in JOBS}


@pytest.mark.filterwarnings("ignore::Warning:torch_geometric", "ignore:`torch.jit.script`:DeprecationWarning")  # fmt: skip
@pytest.mark.parametrize("name", JOBS)
def test_everybody_who_is_installed_does_the_job(name, tasks):
    job, found, before = all_jobs()[name], {}, torch.get_num_threads()
    for contestant in job.contestants:
        module = find_contestant(job.family, contestant)
        if missing_packages(module):
            continue
        built = module.build(tasks[name], module.VARIANTS[-1])
        assert len(worker.time_epochs(built, 2)) == 2
        found[contestant] = built.check()
    torch.set_num_threads(before)
    assert all(math.isfinite(value) for value in found.values())
    if name == "mutag-batches":
        graphs = tasks[name].graphs
        whole = sum(graph.num_nodes + graph.num_edges for graph in graphs)
        assert set(found.values()) == {whole}


@pytest.mark.parametrize("name", ["cora-gcn", "cora-gat", "million-nodes"])
def test_training_lowers_the_loss(name, tasks):
    task = replace(tasks[name], dropout=0.0)
    built = find_contestant("nodes", "gradatim").build(task, "1 thread")
    worker.time_epochs(built, 1)
    first = built.check()
    worker.time_epochs(built, 30)
    assert built.check() < first < 1.2 * math.log(task.num_classes)


def test_the_shapes_of_cora(tasks):
    task = all_jobs()["cora-gcn"].load(True)
    assert (task.x.shape[1], task.num_classes, len(task.rows)) == (1433, 7, 140)
    assert task.x.layout == torch.sparse_csr
    assert 0.011 < len(task.x.values()) / task.x.shape[0] / task.x.shape[1] < 0.014
    first, last = build_model(tasks["cora-gat"]).layers
    assert isinstance(first, GATLayer)
    assert (first.num_heads, first.output_dim, last.num_heads, last.output_dim) == (8, 8, 1, 7)


def test_a_hundredth_of_the_million(tasks):
    task = tasks["million-nodes"]
    assert (*task.x.shape, task.edge_index.shape[1], task.hidden_dim) == (1000, 32, 10_000, 16)


def test_flops_of_a_graph_network_by_hand():
    x, edges = torch.ones(3, 5), torch.tensor([[0, 1], [1, 0]])
    task = Task(x, edges, torch.tensor([0, 1, 1]), torch.arange(3), "gcn", 4, 0.5, "ones")
    first, mixing = 15 * 4, 5 * 4  # three self-loops and two edges
    dense, last = 3 * 4 * 2, 5 * 2
    forward = first + mixing + dense + last
    weights_and_inputs = first + 2 * (mixing + dense + last)  # of the features nobody asks for one
    assert task.flops == 2 * (forward + weights_and_inputs)


def test_the_peak_is_what_was_taken_in_between():
    memory.forget_peak()
    before = memory.peak()
    taken = np.ones(50_000_000, dtype=np.uint8)
    del taken
    assert memory.peak() - before > 40_000_000
    memory.forget_peak()
    assert memory.peak() - before < 30_000_000


def test_work_is_counted_by_another_clock(monkeypatch):
    clock = iter([1.0, 4.0])
    monkeypatch.setattr(worker.time, "process_time", lambda: next(clock))
    contestant = Contestant(lambda epochs, tick: [tick() for _ in range(epochs)], lambda: 0.0)
    assert worker.time_epochs(contestant, 1, counts_work=True) == [3.0]


def test_a_process_says_how_much_it_took():
    entrant = remote.Remote("million-sage", "gradatim", quick=True, counts_work=True)
    try:
        assert entrant.source == "random graph of 1,000 nodes and 10,000 directed edges"
        assert len(entrant.time("1 thread", 1)) == 1
        assert 0 < entrant.memory() < 1e9
    finally:
        entrant.close()


class Fake:
    """Answers at once."""

    source, flops = "made-up data", 1.0

    def __init__(self, seconds, bytes_):
        self.seconds, self.bytes = seconds, bytes_

    def time(self, variant, epochs):
        return [self.seconds] * epochs

    def check(self, variant):
        return 0.5

    def memory(self):
        return self.bytes

    def close(self):
        pass


def play(monkeypatch, job, **fakes):
    module = SimpleNamespace(TITLE="A", REQUIRES=(), VARIANTS=("plain",))
    monkeypatch.setattr("benchmarks.harness.find_contestant", lambda family, name: module)
    return run_job(job, repeats=1, start=lambda job, name, *, quick: fakes[name])


def test_claims_about_memory(monkeypatch):
    peer = Claim("pyg_dense", 2.0, figure=MEMORY)
    job = replace(all_jobs()["million-nodes"], claims=(peer,), most_gigabytes=1.5)
    result = play(monkeypatch, job, gradatim=Fake(1.0, 1.25e9), pyg_dense=Fake(3.0, 2.0e9))
    assert [str(verdict) for verdict in judge(result)] == [
        "does not hold  million-nodes: Gradatim takes at most 1/2 of the memory of A: measured 1.60 ×",
        "holds          million-nodes: Gradatim takes at most 1.5 GB: measured 1.25 GB",
    ]
    text = report.as_markdown([result], [], {"cpu": "", "threads": 2, "system": "", "python": "", "matmul_peak_gflops": 1.0, "load_before": 0.0})  # fmt: skip
    assert "| A | 1,000.0 | 1.00 | 0.0 | 0.500 | 1.25 | plain |" in text
    assert '"bytes": 1250000000.0' in report.as_json([result], [], {})


def test_memory_that_nobody_counted_is_not_judged():
    job = all_jobs()["million-sage"]
    rows = [Row("gradatim", "Gradatim", samples={"plain": [1.0]}, memory=0.0)]
    (verdict,) = judge(Result(job, "", 1.0, rows))
    assert verdict.holds is None
    assert str(verdict) == "not checked    million-sage: Gradatim takes at most 3 GB"
