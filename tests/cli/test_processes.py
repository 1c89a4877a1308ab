"""``gradatim fit --processes``: what it starts, and what it refuses; the figures are compared in ``tests/slow``."""

import pytest

from gradatim.cli.launching import without_option


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["fit", "a", "--processes", "3", "-o", "m"], ["fit", "a", "-o", "m"]),
        (["fit", "--processes=3", "a"], ["fit", "a"]),
        (["fit", "a"], ["fit", "a"]),
    ],
)
def test_processes_that_are_started_do_not_start_more(words, kept):
    assert without_option(words) == kept


@pytest.mark.parametrize("count", ["0", "-2"])
def test_how_many_processes_must_be_a_number(call, count):
    code, _, err = call("fit", "iris", "--processes", count)
    assert (code, "processes must be" in err) == (2, True)


def test_torchrun_is_not_started_in_torchrun(call, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    code, _, err = call("fit", "iris", "--processes", "2")
    assert code == 2
    assert "processes must be left out where torchrun has started several, got 2" in err
