"""Batches from memory and from streams."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.training import batches as source
from gradatim.training.batches import InMemory, Stream

CPU = torch.device("cpu")


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(1, 50),
    size=st.integers(1, 60),
    chunk=st.sampled_from([8, 100, 4 << 20]),
    seed=st.integers(0, 99),
)
def test_an_epoch_is_a_permutation_and_any_tail_of_it_can_be_had(rows, size, chunk, seed):
    X = torch.arange(rows)
    source.CHUNK_BYTES, before = chunk, source.CHUNK_BYTES
    try:
        data = InMemory((X, X * 2), size, seed=seed, device=CPU)
        epoch = list(data.epoch(3))
        assert len(epoch) == data.steps
        assert torch.equal(torch.cat([x for x, _ in epoch]).sort().values, X)
        assert all(torch.equal(y, 2 * x) for x, y in epoch)
        for skip in range(len(epoch) + 1):
            rest = list(data.epoch(3, skip))
            assert all(torch.equal(a[0], b[0]) for a, b in zip(rest, epoch[skip:], strict=True))
        assert torch.equal(torch.cat([x for x, _ in data.whole()]), X)
    finally:
        source.CHUNK_BYTES = before


def test_orders_differ_by_epoch_and_seed_and_no_seed_keeps_the_order():
    X = torch.arange(100)

    def order(seed, epoch):
        (batch,) = InMemory((X,), 100, seed=seed, device=CPU).epoch(epoch)
        return batch[0].tolist()

    assert order(0, 0) == order(0, 0)
    assert order(0, 0) != order(0, 1)
    assert order(0, 0) != order(1, 0)
    assert order(None, 5) == X.tolist()


def test_a_stream_is_told_the_epoch_and_can_skip():
    told = []

    class Source(list):
        def set_epoch(self, epoch):
            told.append(epoch)

    data = Source([1, 2, 3])
    stream = Stream(data, lambda batch: batch * 10)
    assert list(stream.epoch(4, skip=1)) == [20, 30]
    assert told == [4]
    assert stream.steps == 3
    assert Stream(iter([1]), lambda b: b).steps is None


@pytest.mark.parametrize(
    "structure", [{"a": torch.zeros(1, dtype=torch.float64)}, [torch.zeros(1).double()]]
)
def test_nested_batches_are_converted(structure):
    moved = source.move(structure, CPU, torch.float32)
    (value,) = moved.values() if isinstance(moved, dict) else moved
    assert value.dtype == torch.float32
    assert source.move("text", CPU, torch.float32) == "text"
