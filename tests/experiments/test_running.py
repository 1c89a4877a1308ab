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
