"""Padded batches hold the rows that each replica would see alone."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.training.batches import InMemory
from gradatim.training.engines.stacked_batches import StackedBatches


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=4),
    batch_size=st.integers(1, 50),
    epoch=st.integers(0, 3),
)
def test_every_replica_sees_its_own_batches(sizes, batch_size, epoch):
    X = torch.arange(100.0).unsqueeze(1)
    y = torch.arange(100)
    rows = [torch.arange(3 * k, 3 * k + size) for k, size in enumerate(sizes)]
    seeds = list(range(len(sizes)))
    stacked = StackedBatches(X, y, rows, batch_size=batch_size, seeds=seeds)
    seen = [[] for _ in sizes]
    for chunk in stacked.epoch(epoch):
        for x, labels, weight, counts in zip(*chunk[1:], strict=True):
            for k, count in enumerate(counts):
                assert torch.equal(x[k, :, 0].long(), labels[k])
                assert weight[k, count:].eq(0).all()
                if count:
                    torch.testing.assert_close(weight[k].sum(), torch.tensor(1.0))
                    seen[k].append(labels[k, :count].tolist())
    for k, own in enumerate(rows):
        alone = InMemory((X[own], y[own]), batch_size, seed=seeds[k], device=torch.device("cpu"))
        assert seen[k] == [labels.tolist() for _, labels in alone.epoch(epoch)]


def test_without_seeds_rows_keep_their_order():
    X, y = torch.zeros(9, 1), torch.arange(9)
    rows = [torch.arange(5), torch.arange(4, 9)]
    (chunk,) = StackedBatches(X, y, rows, batch_size=5, seeds=None).epoch(0)
    assert chunk.y.tolist() == [[[0, 1, 2, 3, 4], [4, 5, 6, 7, 8]]]
