"""Graphs batch by batch: each once an epoch, in orders that depend on seed and epoch, and as a Trainer takes them."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from gradatim.data import Graph, GraphSet, GraphStream, rings
from gradatim.errors import InvalidValue
from gradatim.models import GIN, GraphClassifier
from gradatim.training import Trainer


@pytest.fixture
def ten():
    return GraphSet([Graph([[float(k)]] * (k + 1), [], y=torch.tensor(k)) for k in range(10)])


def seen(stream):
    return [batch.y.tolist() for batch in stream]


def test_the_given_order(ten):
    stream = GraphStream(ten, 4)
    assert len(stream) == 3
    assert seen(stream) == seen(stream) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert [batch.rows for batch in stream] == [4, 4, 2]
    assert seen(GraphStream(ten, 4, rows=[9, 1, 5])) == [[9, 1, 5]]


def test_orders_depend_on_seed_and_epoch(ten):
    stream = GraphStream(ten, 10, seed=3)
    first, second = seen(stream), seen(stream)
    assert sorted(first[0]) == sorted(second[0]) == list(range(10))
    assert first != second
    stream.set_epoch(1)
    assert seen(stream) == second
    assert seen(GraphStream(ten, 10, seed=3)) == first != seen(GraphStream(ten, 10, seed=4))


def test_a_trainer_takes_batches_as_they_are():
    graphs = rings(60)
    torch.manual_seed(0)
    model = GraphClassifier(GIN(1, 16, 16, dropout=0.0), 16, 2)
    trainer = Trainer(
        model,
        objective=lambda model, b: cross_entropy(model(b.x, b.edge_index, b.batch, b.num_graphs), b.y),
        lr=1e-2, epochs=25, progress=False,
    )  # fmt: skip
    history = trainer.fit(GraphStream(GraphSet(graphs), 20, seed=0))
    assert history["train_loss"][-1] < 0.5 * history["train_loss"][0]


def test_refusals(ten):
    with pytest.raises(InvalidValue, match="batch_size"):
        GraphStream(ten, 0)
    with pytest.raises(InvalidValue, match="seed"):
        GraphStream(ten, 2, seed=-1)
