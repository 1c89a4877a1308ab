import pytest

from gradatim.errors import InvalidValue
from gradatim.plots.importance import MAX_BARS, importance_bars


def names(figure):
    return [tick.get_text() for tick in figure.axes[0].get_yticklabels()]


def test_the_largest_come_first_and_the_rest_are_left_out():
    figure = importance_bars({f"c{k}": float(k) for k in range(40)}, label="loss of R²")
    assert names(figure) == [f"c{k}" for k in range(39, 39 - MAX_BARS, -1)]
    assert figure.axes[0].get_xlabel() == "loss of R²"


def test_long_names_lose_their_middle_and_stay_two():
    assert names(importance_bars({"x" * 50: 1.0})) == ["x" * 27 + "…" + "x" * 14]
    twins = {"x" * 5000 + "a": 2.0, "x" * 5000 + "b": 1.0}
    first, second = names(importance_bars(twins))
    assert first != second
    assert len(first) == len(second) == 42


def test_something_must_be_given():
    with pytest.raises(InvalidValue, match=r"values must name at least one column, got none\."):
        importance_bars({})
