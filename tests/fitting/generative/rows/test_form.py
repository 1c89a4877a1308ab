import json

import numpy as np
import pandas as pd
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.generative.rows.form import Form

from ..conftest import make_table


@pytest.fixture
def frame():
    return make_table().astype("str").mask(make_table().isna())


def test_a_table_comes_back_in_its_own_form(frame):
    notes = []
    form = Form.learn(frame, [], notes)
    assert form.order == ("height", "children", "town", "born", "land", "smokes")
    assert form.repeated == {"land": "CH"}
    assert notes == [
        "Column 'land' is repeated in every row: there is one value only.",
        "Column 'id' is left out: it identifies rows.",
    ]
    back = form.write(form.read(frame))
    assert list(back) == list(form.order)
    for name in back:
        same = (back[name] == frame[name]) | (back[name].isna() & frame[name].isna())
        if name == "height":  # 170.0 is 170 where others have decimals
            same |= back[name].astype(float) == frame[name].astype(float)
        assert same.all(), name


def test_an_empty_column_stays_empty(frame):
    form = Form.learn(frame.assign(nothing=None), [], [])
    assert form.write(form.read(frame))["nothing"].isna().all()


def test_columns_that_are_dropped_are_neither_learned_nor_written(frame):
    form = Form.learn(frame, ["town", "land"], [])
    assert form.order == ("height", "children", "born", "smokes")


def test_numbers_that_begin_with_zeros_are_names():
    frame = pd.DataFrame({"zip": ["0100", "8001", "0300"] * 9, "x": [f"{k}.5" for k in range(27)]}, dtype="str")  # fmt: skip
    form = Form.learn(frame, [], [])
    assert form.write(form.read(frame))["zip"].tolist()[:3] == ["0100", "8001", "0300"]


def test_a_target_of_few_whole_numbers_holds_classes():
    frame = pd.DataFrame({"y": ["0", "1"] * 20, "x": ["0", "1", "2", "3"] * 10}, dtype="str")
    kinds = {own.column.name: own.column.kind for own in Form.learn(frame, [], [], "y").learned}
    assert kinds == {"y": "categorical", "x": "numeric"}


def test_a_table_of_identifiers_is_refused():
    frame = pd.DataFrame({"id": np.arange(50), "name": [f"n{k}" for k in range(50)], "k": 1})
    with pytest.raises(InvalidValue, match="all of them identify rows or hold one value only"):
        Form.learn(frame, [], [])


def test_plain_data_and_back(frame):
    form = Form.learn(frame, [], [])
    assert Form.from_json(json.loads(json.dumps(form.to_json()))) == form
    with pytest.raises(InvalidValue, match="must be those that were learned or repeated"):
        Form.from_json({**form.to_json(), "order": ["height"]})
