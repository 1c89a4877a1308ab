"""``gradatim fit --processes``: what it starts, and what it refuses; the figures are compared in ``tests/slow``."""

import pytest

from gradatim.cli.launching import LAUNCHED, without_option


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


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({}, "Interrupted.\n"),
        ({"RANK": "0"}, "Interrupted.\n"),  # under torchrun
        ({"RANK": "1"}, ""),
        ({"RANK": "0", LAUNCHED: "yes"}, ""),  # who started it says it
    ],
)
def test_an_interruption_of_several_processes_is_said_by_one(call, parity, monkeypatch, place, said):  # fmt: skip
    for name, value in place.items():
        monkeypatch.setenv(name, value)
    code, _, err = call("run", parity, "--set", "fault=interrupt")
    assert (code, err) == (130, said)
