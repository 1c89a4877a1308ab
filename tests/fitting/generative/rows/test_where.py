import pandas as pd
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.generative.rows.form import Form
from gradatim.fitting.generative.rows.where import (
    expected_share,
    read_conditions,
    settle_conditions,
)
from gradatim.generative import RowCodec

FRAME = pd.DataFrame(
    {"x": ["1,5", "2,0", "2,5"] * 9, "town": ["Bern", "Genf", "Chur"] * 9, "day": ["01.02.2024", "05.02.2024", "09.02.2024"] * 9, "land": ["CH"] * 27},
    dtype="str",
)  # fmt: skip


def read(**where):
    form = Form.learn(FRAME, [], [])
    table = form.read(FRAME)
    conditions = read_conditions(form, RowCodec.learn(table).margins, where)
    return settle_conditions(table, conditions)[:3].tolist()


def test_values_are_read_as_the_table_writes_them():
    assert read(x="2,50") == [False, False, True]
    assert read(town="Genf") == [False, True, False]
    assert read(day="09.02.2024", town="Chur") == [False, False, True]
    assert read(day="09.02.2024", town="Bern") == [False, False, False]
    assert read(land="CH") == read() == [True, True, True]


def test_how_many_rows_meet_what_is_asked_for_is_known_beforehand():
    form = Form.learn(FRAME, [], [])
    margins = RowCodec.learn(form.read(FRAME)).margins
    for where, share in (({"town": "Genf"}, 1 / 3), ({"x": "2", "day": "05.02.2024"}, 1 / 9), ({}, 1)):  # fmt: skip
        assert expected_share(margins, read_conditions(form, margins, where)) == pytest.approx(
            share
        )


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        (
            {"towm": "Bern"},
            "where must name a column that the model learned, got 'towm'. It has town, x, day, land",
        ),
        ({"land": "DE"}, "where land must be 'CH', the only value that was seen, got 'DE'"),
        ({"town": "Brn"}, "where town must be one of Bern, .*got 'Brn'"),
        ({"x": "9"}, "where x must be from 1,5 to 2,5, got '9'"),
        ({"x": "many"}, "where x must be from 1,5 to 2,5, got 'many'"),
        ({"day": "2024"}, "where day must be from 01.02.2024 to 09.02.2024, got '2024'"),
    ],
)
def test_values_that_no_row_can_have(where, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        read(**where)
