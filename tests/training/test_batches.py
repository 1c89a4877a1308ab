"""Batches from memory and from streams."""

from collections import OrderedDict
from typing import NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidType, InvalidValue
from gradatim.training import Trainer
from gradatim.training import batches as source
from gradatim.training.batches import InMemory, Stream, rows_of

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


class Graph:
    """A batch of graphs: many nodes, fewer edges, one answer each; it knows its rows and how to move."""

    def __init__(self, nodes, answers, device="cpu"):
        self.nodes, self.answers, self.device = nodes, answers, device

    @property
    def rows(self):
        return len(self.answers)

    def to(self, device):
        return Graph(self.nodes.to(device), self.answers.to(device), device)


class Pair(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


class Text(NamedTuple):
    tokens: torch.Tensor  # (tokens of all texts,)
    starts: torch.Tensor  # (texts,)

    @property
    def rows(self):
        return len(self.starts)


class Sized:
    def __len__(self):
        return 7


@pytest.mark.parametrize(
    ("batch", "rows"),
    [
        (torch.zeros(5, 2), 5),
        ((torch.zeros(5, 2), torch.zeros(5)), 5),
        ({"a": torch.zeros(4), "b": {"c": torch.zeros(4, 1)}, "name": "x"}, 4),
        (OrderedDict(x=torch.zeros(3)), 3),
        ((torch.zeros(6), torch.tensor(1.0), 0.5, None), 6),
        (Graph(torch.zeros(9, 2), torch.zeros(2)), 2),
        ((Graph(torch.zeros(9, 2), torch.zeros(2)), torch.zeros(2)), 2),
        (Pair(torch.zeros(3), torch.zeros(3)), 3),
        (Text(torch.zeros(30), torch.zeros(4)), 4),
        (Sized(), 7),
        (17, 1),
        (("a text", 3.0), 1),
        (torch.tensor(2.0), 1),
    ],
)
def test_rows(batch, rows):
    assert rows_of(batch) == rows


def test_rows_are_not_guessed():
    with pytest.raises(InvalidValue, match=r"must have the same number of rows, got 4, 5\."):
        rows_of((torch.zeros(5), {"y": torch.zeros(4)}))
    with pytest.raises(InvalidType, match=r"or an object with rows and to\(device\), got object"):
        rows_of((torch.zeros(5), object()))


def test_objects_move_themselves_and_named_tuples_stay_what_they_are():
    device = torch.device("meta")
    graph = source.move(Graph(torch.zeros(9, 2), torch.zeros(2)), device, torch.float32)
    assert graph.device == device
    assert graph.nodes.is_meta
    pair = source.move(Pair(torch.zeros(2).double(), torch.zeros(2)), CPU, torch.float32)
    assert type(pair) is Pair
    assert pair.x.dtype == torch.float32


def test_a_stream_of_graphs_trains_and_weighs_by_graphs():
    def objective(model, graph):
        said = model(graph.nodes).mean()
        return said - said.detach() + graph.answers.mean()

    stream = [Graph(torch.ones(9, 2), torch.ones(3)), Graph(torch.ones(2, 2), torch.zeros(1))]
    history = Trainer(torch.nn.Linear(2, 1), objective=objective, epochs=1).fit(stream, stream)
    assert history["train_loss"] == history["validation_loss"] == [0.75]


def test_a_stream_of_named_tuples_reaches_the_objective_as_such():
    def objective(model, batch):
        assert batch.y.dtype == torch.int64
        return model(batch.x).mean()

    stream = [Pair(torch.ones(3, 2), torch.zeros(3, dtype=torch.int32))]
    Trainer(torch.nn.Linear(2, 1), objective=objective, epochs=1).fit(stream)


def test_a_source_with_state_skips_by_itself_after_it_was_set_back():
    class Source:
        def __init__(self):
            self.place = self.start = 0

        def __iter__(self):
            start, self.start = self.start, 0
            for self.place in range(start + 1, 5):
                yield self.place

        def state_dict(self):
            return {"place": self.place}

        def load_state_dict(self, state):
            self.start = state["place"]

    stream = Stream(Source(), lambda batch: batch)
    seen = stream.epoch(0)
    assert [next(seen), next(seen)] == [1, 2]
    again = Stream(Source(), lambda batch: batch)
    again.load_state_dict(stream.state_dict())
    assert list(again.epoch(0, skip=2)) == [3, 4]
    assert list(again.epoch(1)) == [1, 2, 3, 4]
    assert Stream([1], lambda batch: batch).state_dict() is None
