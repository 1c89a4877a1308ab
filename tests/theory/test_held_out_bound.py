from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from gradatim.errors import InvalidValue
from gradatim.theory import held_out_bound, kl_inverse


@given(n=st.integers(1, 5000), share=st.floats(0.0, 0.99), delta=st.floats(0.001, 0.5))
def test_fewer_mistakes_have_exactly_the_probability(n, share, delta):
    mistakes = int(share * n)
    found = held_out_bound(mistakes, n, delta)
    assert binom.cdf(mistakes, n, found) == pytest.approx(delta, rel=1e-6)


@given(n=st.integers(8, 5000), share=st.floats(0.0, 1.0))
def test_it_is_tighter_than_chernoff(n, share):
    mistakes = int(share * n)
    assert held_out_bound(mistakes, n) <= kl_inverse(mistakes / n, log(1 / 0.05) / n) + 1e-12


def test_all_wrong_promises_nothing():
    assert held_out_bound(7, 7) == 1.0


@pytest.mark.parametrize(
    ("given", "words"),
    [((8, 7), "mistakes must be from 0 to n = 7, got 8"), ((1, 0), "n must be a whole number from 1"), ((1, 7, 1.0), r"delta must be in \(0, 1\), got 1.0. Try 0.05")],
)  # fmt: skip
def test_what_is_refused(given, words):
    with pytest.raises(InvalidValue, match=f"^held_out_bound: {words}"):
        held_out_bound(*given)
