import pytest

from gradatim.reports import Concern


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (("Little data", "9 rows", "Use more"), "Little data: 9 rows. Use more."),
        (("Drift", "'a' differs"), "Drift: 'a' differs."),
        (("It learned nothing", "", "Give it time"), "It learned nothing. Give it time."),
        (("It learned nothing",), "It learned nothing."),
    ],
)
def test_a_concern_is_data_and_reads_as_sentences(parts, sentence):
    concern = Concern(*parts)
    assert str(concern) == sentence
    assert concern == (*parts, *[""] * (3 - len(parts)))
