import math

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidType
from gradatim.reports.limits import Limits

JUST_BELOW, JUST_ABOVE = math.nextafter(2.0, 0.0), math.nextafter(2.0, 3.0)


@pytest.mark.parametrize(
    ("limits", "words", "verdicts"),
    [
        (Limits(at_least=2), "≥ 2", (False, True, True)),
        (Limits(at_most=2), "≤ 2", (True, True, False)),
        (Limits(above=2), "> 2", (False, False, True)),
        (Limits(below=2), "< 2", (True, False, False)),
        (Limits(equals=2), "2", (False, True, False)),
        (Limits(near=(3, 1)), "3 ± 1", (False, False, True)),
        (Limits(near=(1, 1)), "1 ± 1", (True, False, False)),
        (Limits(at_least=2, at_most=2.0), "≥ 2 and ≤ 2", (False, True, False)),
        (Limits(above=1e-12, below=2), "> 1e-12 and < 2", (True, False, False)),
    ],
)
def test_words_and_verdicts_at_the_limit_and_beside_it(limits, words, verdicts):
    assert limits.words() == words
    assert tuple(limits.hold(value) for value in (JUST_BELOW, 2.0, JUST_ABOVE)) == verdicts


@pytest.mark.parametrize(
    "limits",
    [
        Limits(at_least=-math.inf),
        Limits(at_most=math.inf),
        Limits(above=0),
        Limits(below=0),
        Limits(near=(0, math.inf)),
        Limits(equals=math.nan),
    ],
)
def test_nan_keeps_no_limit(limits):
    assert limits.hold(math.nan) is False


def test_zero_is_a_limit():
    assert Limits(equals=0).words() == "0"
    assert Limits(at_least=0, near=(0, 0)).given == {"at_least": (0,), "near": (0, 0)}


def test_a_string_equals_itself():
    limits = Limits(equals="LDA")
    assert limits.words() == "LDA"
    assert limits.hold("LDA") is True
    assert limits.hold("QDA") is False


def test_numbers_of_any_library_become_plain():
    limits = Limits(at_least=np.float64(235_146), below=torch.tensor(0.5))
    assert limits.words() == "≥ 235,146 and < 0.5"


@pytest.mark.parametrize("value", ["0.5", None, True])
def test_only_numbers_keep_bounds(value):
    with pytest.raises(InvalidType, match=r"measured must be a number to keep < 1, got .*holds="):
        Limits(below=1).hold(value)
