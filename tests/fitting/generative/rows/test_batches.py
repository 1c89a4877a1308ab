import pandas as pd
import torch

from gradatim.fitting.generative.rows.batches import LOOKED, RowBatches, looked_at
from gradatim.generative import RowCodec

TABLE = pd.DataFrame({"x": [0.0, 0.0, 1.0, 1.0], "c": ["u", "v", "u", "v"]})
CODEC, LABELS = RowCodec.learn(TABLE), torch.arange(4)


def batches(**change):
    how = {"batch_size": 3, "num_batches": 5, "seed": 1} | change
    return RowBatches(CODEC, TABLE, LABELS, **how)


def test_a_round_is_the_same_each_time_and_rounds_differ():
    own = batches()
    first = [x for x, _ in own]
    assert len(first) == len(own) == 5
    assert all(a.equal(b) for a, b in zip(first, [x for x, _ in own], strict=True))
    own.set_epoch(1)
    assert not all(a.equal(b) for a, b in zip(first, [x for x, _ in own], strict=True))


def test_labels_are_those_of_the_rows():
    for x, label in batches(batch_size=50, num_batches=1):
        rows = CODEC.decode(x)
        assert (rows["c"].to_numpy() == TABLE["c"].to_numpy()[label.numpy()]).all()
        assert (rows["x"].to_numpy() == TABLE["x"].to_numpy()[label.numpy()]).all()


def test_places_within_jumps_change_from_round_to_round():
    own = batches(batch_size=200, num_batches=1)
    ((x, label),) = own
    own.set_epoch(1)
    ((y, other),) = own
    assert set(x[label == 0][:, 0].tolist()).isdisjoint(y[other == 0][:, 0].tolist())


def test_few_validation_rows_are_looked_at_several_times():
    x, label = looked_at(CODEC, TABLE, LABELS, 0)
    assert len(x) == len(label) == LOOKED
    assert label.bincount().tolist() == [LOOKED // 4] * 4
