"""One sentence says what was wrong: the rule, the value, the remedy."""

import pytest

from gradatim.errors import InvalidValue, choose, require, require_seed, require_whole


def test_a_rule_that_holds_says_nothing():
    require(True, "Net: width must be positive", 3)
    require_whole("Net", width=3, depth=2.0)


@pytest.mark.parametrize(
    ("remedy", "sentence"),
    [
        ("", "Net: width must be positive, got -3."),
        ("Try width=8.", "Net: width must be positive, got -3. Try width=8."),
    ],
)
def test_a_rule_that_fails_is_the_message(remedy, sentence):
    with pytest.raises(InvalidValue) as caught:
        require(-3 > 0, "Net: width must be positive", -3, remedy)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("count", [0, -1, 2.5])
def test_a_count_is_a_whole_number_from_1(count):
    with pytest.raises(InvalidValue) as caught:
        require_whole("Net", width=3, depth=count)
    assert str(caught.value) == f"Net: depth must be a whole number from 1, got {count}."


@pytest.mark.parametrize("seed", [-1, 2**32, 2**70, 1.5, True, "1", None])
def test_seeds_are_those_of_every_generator(seed):
    with pytest.raises(
        InvalidValue, match=r"^fit: seed must be a whole number from 0 to 4,294,967,295, got "
    ):
        require_seed("fit", seed)


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_good_seeds_pass(seed):
    require_seed("fit", seed)


def test_of_very_many_choices_only_the_nearest_are_listed():
    names = [f"set-{i}" for i in range(100)]
    with pytest.raises(InvalidValue) as caught:
        choose("load", "name", "set-7x", names)
    words = str(caught.value)
    assert words.startswith("load: name must be one of set-7, ")
    assert words.endswith("… (100 in all), got 'set-7x'. Try 'set-7'.")
    assert words.count("set-") == 8 + 2
