"""Predictions on the disk: text as it is, and what a spreadsheet would make of it is said."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gradatim.data.tables.columns import Column
from gradatim.events import Warned
from gradatim.fitting.classes import frame_of
from gradatim.fitting.predicting import find_formula, predict, write_predictions
from gradatim.fitting.series.problem import Layout
from gradatim.fitting.tables.model import TableModel
from gradatim.fitting.tables.predictors import Fitted
from gradatim.fitting.tables.preprocessing import Encoder, Preprocessing

from .test_stored import series_model


def constant(labels):
    arrays = {"0.0.weight": np.zeros((2, 1)), "0.0.bias": np.array([0.0, 1.0])}
    return TableModel(
        target="y", labels=labels, preprocessing=Preprocessing([Encoder(Column("x", "numeric"))]), recommended="m", about={},
        models={"m": Fitted("chain", 2, arrays)},
    )  # fmt: skip


@pytest.mark.parametrize("label", ["=1+1", "+", "-", "@SUM(A1)", "\tx"])
def test_a_formula_is_said_and_comes_back_as_it_was(tmp_path, label):
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    result = write_predictions(constant(["b", label]), frame, tmp_path / "p.csv")
    assert pd.read_csv(tmp_path / "p.csv")["prediction"].tolist() == [label] * 2
    assert result.notes == [f"p.csv holds texts that a spreadsheet takes for formulas, such as {label!r}. Import them as text."]  # fmt: skip
    told = []
    predict(constant(["b", label]), frame, output=tmp_path / "p.csv", tell=told.append)
    assert told == [Warned(result.notes[0])]


def test_numbers_and_other_texts_are_no_formulas(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    assert write_predictions(constant([-2, -1]), frame, tmp_path / "p.csv").notes == []
    assert write_predictions(constant(["a", "b=c"]), frame, tmp_path / "q.csv").notes == []
    assert find_formula(pd.DataFrame({"=a": [1]})) == "=a"


def test_a_file_name_of_any_bytes_is_written_as_it_is(tmp_path):
    class Named:
        def prediction_tables(self, data, model, notes):
            yield frame_of({"file": ["b\udcff.png"], "prediction": ["a"]})

    write_predictions(Named(), np.zeros((1, 1)), tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_bytes() == b"file,prediction\nb\xff.png,a\n"


@pytest.mark.parametrize("name", ["prediction", "low", "high"])
def test_a_time_column_called_like_ours_stays_beside_them(name):
    model = replace(series_model(), layout=Layout(name, ("x",), None))
    table = model.table(np.zeros((1, 3)), [11.0])
    assert list(table.columns) == [f"{name} of the data", "prediction", "low", "high"]
