import numpy as np
import pandas as pd
import pytest

from gradatim.fitting.tables.candidates import NEAREST
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.player import read_player
from gradatim.fitting.work import Work


@pytest.mark.parametrize(("budget", "searched"), [(60.0, True), (1.0, False)])
def test_neighbours_are_searched_only_where_the_budget_allows(tmp_path, budget, searched):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=3000), "y": rng.normal(size=3000)})
    job = TableOptions(target="y", budget=budget, rows=3000)
    player = read_player(frame, job)
    player.prepare(
        Work(tmp_path / "work", {}, resume=False, started=0.0), budget, lambda *told: None
    )
    assert (NEAREST in player.simple) is searched
    assert any("left out" in note for note in player.notes) is not searched
