import json

import pytest
import torch

from gradatim import experiments
from gradatim.errors import InvalidValue, Unavailable


def heads(**arguments):
    return experiments.run("coin-toss", **arguments).claims[0].measured


def test_report_states_settings_and_seconds(coin_toss):
    report = experiments.run(coin_toss, quick=True, overrides={"seed": "5"})
    assert report.settings == {"seed": 5, "throws": 10}
    assert report.seconds > 0


def test_seed_decides_and_full_settings_are_the_default(coin_toss):
    expected = int(torch.randint(2, (1000,), generator=torch.Generator().manual_seed(4)).sum())
    assert heads(overrides={"seed": "4"}) == expected
    assert heads() != expected


def test_callers_random_numbers_are_left_alone(coin_toss):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    heads(quick=True)
    assert torch.equal(torch.get_rng_state(), before)


def test_output_is_written(coin_toss, tmp_path):
    experiments.run(coin_toss, quick=True, output=tmp_path / "out")
    data = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert data["settings"] == {"seed": 0, "throws": 10}
    assert data["seconds"] > 0


def test_locked_folder_is_met_before_the_run(coin_toss, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(experiments.load(coin_toss), "run", pytest.fail)
    with pytest.raises(Unavailable, match="folder must be writable"):
        experiments.run(coin_toss, output=tmp_path / "file")


def test_a_mistake_leaves_no_folder(coin_toss, tmp_path):
    with pytest.raises(InvalidValue, match=r"coin-toss: setting must be one of throws, seed"):
        experiments.run(coin_toss, overrides={"throw": "3"}, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_the_experiment_itself_refuses_leaves_no_folder(coin_toss, tmp_path, monkeypatch):
    def refuse(settings):
        raise InvalidValue("coin-toss: throws must be more, got 0.")

    monkeypatch.setattr(experiments.load(coin_toss), "run", refuse)
    with pytest.raises(InvalidValue, match="throws must be more"):
        experiments.run(coin_toss, output=tmp_path / "runs" / "out")
    assert not (tmp_path / "runs").exists()


def failing(error):
    def fail(settings):
        raise error

    return fail


def test_an_error_under_changed_settings_names_them_and_keeps_its_cause(coin_toss, monkeypatch):
    cause = ZeroDivisionError("float division\nby zero")
    monkeypatch.setattr(experiments.load(coin_toss), "run", failing(cause))
    with pytest.raises(InvalidValue) as caught:
        experiments.run(coin_toss, quick=True, overrides={"throws": "1", "seed": "3"})
    reason = "ZeroDivisionError: float division by zero"
    assert str(caught.value) == (
        f"coin-toss: settings must allow the experiment, got throws=1 ({reason}). Try throws=10."
    )
    assert caught.value.__cause__ is cause


@pytest.mark.parametrize(
    ("error", "overrides"),
    [
        (ZeroDivisionError("by zero"), {}),
        (ZeroDivisionError("by zero"), {"seed": "3"}),
        (ZeroDivisionError("by zero"), {"throws": "1000"}),  # what it is without
        (InvalidValue("draw: throws must be at least 2, got 1."), {"throws": "1"}),
        (Unavailable("data: a set must be there, and is not."), {"throws": "1"}),
        (OSError("no space left"), {"throws": "1"}),
        (KeyboardInterrupt(), {"throws": "1"}),
    ],
)
def test_an_error_that_names_the_setting_or_has_another_cause_passes(coin_toss, monkeypatch, error, overrides):  # fmt: skip
    monkeypatch.setattr(experiments.load(coin_toss), "run", failing(error))
    with pytest.raises(type(error)) as caught:
        experiments.run(coin_toss, overrides=overrides)
    assert caught.value is error


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("ar-unit-root", "fitted_steps", "1"),
        ("barron-rate", "radius", "1e30"),
        ("barron-rate", "radius", "1e-30"),
        ("hmm-weather", "rounds", "1"),
        ("connected-digits", "utterances", "1"),
    ],
)
def test_settings_that_an_experiment_cannot_run_with_end_in_a_sentence(name, key, value):
    with pytest.raises(InvalidValue, match=rf"\b{key}=") as caught:
        experiments.run(name, quick=True, overrides={key: value})
    assert "\n" not in str(caught.value)
