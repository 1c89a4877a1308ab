"""A plan beside what a pair of processes here really sends and takes."""

import multiprocessing
import time
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from gradatim.models import GPT
from gradatim.scaling import plan

PARAMETERS, ROWS, CONTEXT = 3_241_728, 4, 256
COUNTERS = Path("/proc/net/dev")


def gpt():
    torch.manual_seed(0)
    return GPT(65, context=CONTEXT, dim=256, num_heads=4, num_layers=4)


def step(model, optimizer, tokens):
    loss = nn.functional.cross_entropy(model(tokens).transpose(1, 2), tokens)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def fastest(work, times):
    """Seconds of the fastest of several goes: what else runs only adds."""
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def loopback_bytes():
    line = next(line for line in COUNTERS.read_text().splitlines() if line.strip().startswith("lo:"))  # fmt: skip
    return int(line.split(":")[1].split()[8])


def of_a_pair(rank, store, told):
    """Seconds of a step under DDP and of one all-reduce, and bytes that the kernel counts in a step."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", store=dist.FileStore(store, 2), rank=rank, world_size=2)
    model = DistributedDataParallel(gpt())
    optimizer, tokens = torch.optim.Adam(model.parameters()), torch.randint(65, (ROWS, CONTEXT))
    sent = []
    for _ in range(8):
        dist.barrier()
        before = loopback_bytes()
        dist.barrier()
        step(model, optimizer, tokens)
        dist.barrier()
        sent.append(loopback_bytes() - before)
    seconds = fastest(lambda: step(model, optimizer, tokens), 12)
    whole = torch.zeros(PARAMETERS)
    told.put((rank, seconds, fastest(lambda: dist.all_reduce(whole), 12), min(sent[2:])))
    dist.barrier()
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Seconds alone, seconds in a pair, seconds of messages, bytes."""
    torch.set_num_threads(1)
    model, tokens = gpt(), torch.randint(65, (ROWS, CONTEXT))
    assert sum(p.numel() for p in model.parameters()) == PARAMETERS
    optimizer = torch.optim.Adam(model.parameters())
    alone = fastest(lambda: step(model, optimizer, tokens), 12)
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    store = str(tmp_path_factory.mktemp("pair") / "store")
    pair = [context.Process(target=of_a_pair, args=(rank, store, told)) for rank in range(2)]
    for process in pair:
        process.start()
    found = sorted(told.get(timeout=120) for _ in pair)
    for process in pair:
        process.join()
    return alone, *(max(own[k] for own in found) for k in (1, 2)), min(own[3] for own in found)


@pytest.mark.skipif(not COUNTERS.exists(), reason="the kernel counts no bytes")
def test_the_kernel_counts_what_the_formula_says(measured):
    both = 2 * plan(PARAMETERS, 2).bytes_per_step
    assert both == pytest.approx(25.93e6, abs=5e3)
    assert measured[3] == pytest.approx(both, rel=0.01)


def test_steps_take_what_the_plan_says(measured):
    alone, pair, messages, _ = measured
    tokens = ROWS * CONTEXT
    bandwidth = plan(PARAMETERS, 2).bytes_per_step / messages
    job = {"tokens_per_second": tokens / alone, "bandwidth": bandwidth}
    assert plan(PARAMETERS, 1, batch_tokens=tokens, **job).step_seconds == pytest.approx(alone)
    found = plan(PARAMETERS, 2, batch_tokens=2 * tokens, **job).step_seconds
    assert found == pytest.approx(pair, rel=0.2), f"alone {alone}, pair {pair}, messages {messages}"
