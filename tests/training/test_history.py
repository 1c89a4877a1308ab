"""The record of a run."""

import pytest

from gradatim.errors import GradatimError
from gradatim.training import History

RECORDS = [
    {"epoch": 1, "train_loss": 3.0, "validation_accuracy": 0.5},
    {"epoch": 2, "train_loss": 2.0, "validation_accuracy": 0.7},
    {"epoch": 3, "train_loss": 2.5, "validation_accuracy": 0.6},
]


def test_columns_best_and_frame():
    history = History(RECORDS)
    assert history["train_loss"] == [3.0, 2.0, 2.5]
    assert history.best("train_loss")["epoch"] == 2
    assert history.best("validation_accuracy", higher_is_better=True)["epoch"] == 2
    frame = history.to_frame()
    assert list(frame.index) == [1, 2, 3]
    assert frame.loc[3, "train_loss"] == 2.5
    assert len(list(history)) == len(history) == 3


def test_repr():
    assert repr(History()) == "History(no epochs)"
    assert repr(History(RECORDS[:1], "interrupted")) == (
        "History(1 epochs, stopped: interrupted; last: train_loss=3, validation_accuracy=0.5)"
    )


def test_unknown_column_names_the_nearest():
    with pytest.raises(GradatimError, match="Try 'train_loss'"):
        History(RECORDS)["trainloss"]
    with pytest.raises(GradatimError):
        History()["train_loss"]


def test_plot_is_a_figure():
    from matplotlib.figure import Figure

    assert isinstance(History(RECORDS).figure(), Figure)
