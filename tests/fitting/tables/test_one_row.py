"""A row as a mapping gives what the same row gives in a data frame."""

import warnings

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim.errors import InvalidType, InvalidValue


@pytest.mark.parametrize("target", ["kind", "price"])
def test_a_mapping_says_what_a_frame_says(fitted, target):
    path, results = fitted
    model, frame = results[target].model, pd.read_csv(path)
    for name in model.models:
        expected = model.predict(frame, model=name)
        found = [model.predict(row, model=name) for row in frame.head(30).to_dict("records")]
        if target == "kind":
            assert found == expected[:30].tolist()
            rows = [model.predict_proba(row, model=name) for row in frame.head(30).to_dict("records")]  # fmt: skip
            np.testing.assert_allclose(rows, model.predict_proba(frame.head(30), model=name), rtol=1e-12)  # fmt: skip
        else:
            np.testing.assert_allclose(found, expected[:30], rtol=1e-12)


ROWS = {
    "plain": {"x": 0.5, "z": -1, "town": "Basel"},
    "spaces": {"x": 0.5, "z": -1, "town": " Basel "},
    "missing": {"x": None, "z": float("nan"), "town": "NA"},
    "as texts": {"x": "0.5", "z": "-1", "town": "Zürich"},
    "huge": {"x": 1e300, "z": -1e300, "town": None},
    "not finite": {"x": float("inf"), "z": 1.0, "town": "Basel"},
    "of NumPy": {"x": np.float32(0.5), "z": np.int64(3), "town": np.str_("Basel")},
    "strange": {"x": "many", "z": 1.0, "town": 7},
}


@pytest.mark.parametrize("what", ROWS)
def test_strange_cells_are_read_as_in_a_table(fitted, what):
    model = fitted[1]["price"].model
    row = {**ROWS[what], "flag": "yes", "day": "2024-03-01", "of no use": 3}
    told = []
    for data in (row, pd.DataFrame([row])):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = model.predict(data)
        told.append((float(np.ravel(value)[0]), [str(w.message) for w in caught]))
    assert told[0][1] == told[1][1]
    np.testing.assert_allclose(told[0][0], told[1][0], rtol=1e-12)


def test_what_is_no_row_is_refused(fitted):
    model = fitted[1]["price"].model
    with pytest.raises(InvalidType, match="predict: a mapping must hold one cell for each column, got a list in 'x'"):  # fmt: skip
        model.predict({"x": [1.0, 2.0]})
    with pytest.raises(InvalidValue, match="predict: the table must have the columns 'z'"):
        model.predict({"x": 1.0})


def test_the_function_takes_a_mapping_too(fitted):
    path, results = fitted
    row = pd.read_csv(path).iloc[2].to_dict()
    found = gradatim.predict(results["kind"].folder, row)
    assert found["prediction"].tolist() == [results["kind"].model.predict(row)]
