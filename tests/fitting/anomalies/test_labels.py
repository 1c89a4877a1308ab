"""Which rows are called anomalies."""

import pandas as pd
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.anomalies.labels import read_marks


@pytest.mark.parametrize(
    ("normal", "odd"),
    [(0, 1), ("no", "yes"), (False, True), ("normal", "anomaly"), ("OK", "weird"), ("fine", "Outlier"), (1, -1), ("common", "rare")],
)  # fmt: skip
@pytest.mark.parametrize("flipped", [False, True])
def test_words_tell_or_the_rarer_value(normal, odd, flipped):
    notes = []
    counts = (3, 2) if not flipped or normal == "common" else (2, 3)  # words go before counts
    cells = pd.Series([normal] * counts[0] + [odd] * counts[1], name="state")
    is_odd, is_known = read_marks(cells, None, notes)
    assert is_odd.tolist() == [False] * counts[0] + [True] * counts[1]
    assert is_known.all()
    assert bool(notes) == (normal == "common")


def test_the_normal_value_may_be_named_among_many():
    cells = pd.Series(["a", "b", "c", None, "b"], name="kind")
    notes = []
    is_odd, is_known = read_marks(cells, "b", notes)
    assert is_odd.tolist() == [True, False, True, False, False]
    assert is_known.tolist() == [True, True, True, False, True]
    assert notes == ["1 row has no mark in 'kind' and is left out."]


@pytest.mark.parametrize(
    ("cells", "normal", "sentence"),
    [
        (["a", "b", "c"], None, "fit: target must have two values, normal and not, got 3 in 'kind'. Name the normal one, such as --normal 'a'."),
        (["a", "a"], None, "fit: target must mark normal rows and anomalies, got only 'a' in 'kind'. Leave --target out."),
        (["a", "a"], "a", "fit: target must mark normal rows and anomalies, got only 'a' in 'kind'. Leave --target out."),
        (["a", "b"], None, "fit: target must tell which value is normal, 'a' or 'b' of 'kind', got 1 rows of each. Try --normal 'a'."),
        (["a", "b"], "c", "fit: normal must be a value of 'kind' ('a', 'b'), got 'c'."),
        ([None, None], None, "fit: target must have two values, normal and not, got 0 in 'kind'. Name the normal one, such as --normal '0'."),
    ],
)  # fmt: skip
def test_marks_that_say_nothing_are_refused(cells, normal, sentence):
    with pytest.raises(InvalidValue) as caught:
        read_marks(pd.Series(cells, name="kind", dtype=object), normal, [])
    assert str(caught.value) == sentence
