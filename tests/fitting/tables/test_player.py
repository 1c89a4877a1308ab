import numpy as np
import pandas as pd
import pytest

from gradatim.fitting.player import NETWORK, Candidate
from gradatim.fitting.tables import player as player_module
from gradatim.fitting.tables.candidates import NEAREST, PROCESS
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.networks import NetworkSettings
from gradatim.fitting.tables.player import read_player
from gradatim.fitting.work import Work


@pytest.mark.parametrize(("budget", "searched"), [(60.0, True), (1.0, False)])
def test_neighbours_are_searched_only_where_the_budget_allows(tmp_path, budget, searched):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=4000), "y": rng.normal(size=4000)})
    job = TableOptions(target="y", budget=budget, rows=4000)
    player = read_player(frame, job)
    player.prepare(
        Work(tmp_path / "work", {}, resume=False, started=0.0), budget, lambda *told: None
    )
    assert (NEAREST in player.simple) is searched
    assert any(f"{NEAREST} is left out" in note for note in player.notes) is not searched


@pytest.mark.parametrize(("rows", "is_in"), [(300, True), (4000, False)])
def test_a_process_learns_from_no_more_rows_than_its_cube_allows(tmp_path, rows, is_in):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=rows), "y": rng.normal(size=rows)})
    player = read_player(frame, TableOptions(target="y"))
    player.prepare(Work(tmp_path / "work", {}, resume=False, started=0.0), 60.0, lambda *told: None)
    assert (PROCESS in player.simple) is is_in
    sentence = "Gaussian process is left out: its work grows as the cube of the rows, and more than 2,000 are too many."
    assert (sentence in player.notes) is not is_in


@pytest.mark.parametrize("cells", [10**9, 1])
def test_networks_judged_together_get_the_figures_they_get_alone(monkeypatch, cells):
    monkeypatch.setattr(player_module, "CACHE_CELLS", cells)
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 90))
    frame = pd.DataFrame({"x": x, "z": z, "y": np.where(x + z > 0, "a", "b")})
    player = read_player(frame, TableOptions(target="y"))
    settings = [NetworkSettings(hidden=(4,), steps=40, lr=lr) for lr in (1e-3, 1e-2, 1e30)]
    jobs = [(Candidate(NETWORK, own), k) for k in (0, 1, 4) for own in settings]
    together = player.judge_together(jobs)
    for (candidate, k), figures in zip(jobs, together, strict=True):
        if candidate.settings.lr > 1:
            assert figures == {}
        else:
            assert figures == pytest.approx(player.judge(candidate, k), rel=1e-5)
