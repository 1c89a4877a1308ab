import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim.errors import InvalidType, InvalidValue
from gradatim.fitting.generative.rows import model as row_model
from gradatim.fitting.sampling import sample

from ..conftest import make_table

NETWORK = {"which": "network"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a diffusion model that was told classes, trained for a few steps."""
    from gradatim.fitting.generative import course
    from gradatim.fitting.generative.rows import judging
    from gradatim.generative import telling_apart
    from gradatim.reports import report

    from ..conftest import small_plan

    place = tmp_path_factory.mktemp("rows")
    make_table().to_csv(place / "people.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(course, "_plan", small_plan)
        patch.setattr(telling_apart, "TREES", 2)
        patch.setattr(judging, "FOLDS", 2)
        patch.setattr(report, "_png", lambda figure: b"")
        return gradatim.fit(place / "people.csv", "smokes", generative=True, model="diffusion", budget=3600, output=place / "m")  # fmt: skip


def test_a_class_is_asked_of_the_network(made):
    notes = []
    rows = sample(made.folder, 20, **NETWORK, label="yes", guidance=2.0, steps=3, tell=notes.append)
    assert set(rows["smokes"]) == {"yes"}
    assert not notes
    again = sample(made.model, 20, **NETWORK, where={"smokes": "yes"}, guidance=2.0, steps=3)
    assert again.equals(rows)


def test_other_values_are_found_among_rows_and_the_cost_is_said(made):
    notes = []
    rows = sample(made.model, 5, which="Gaussian copula", where={"town": "Chur", "smokes": "no"}, tell=notes.append)  # fmt: skip
    assert set(rows["town"]) == {"Chur"}
    assert set(rows["smokes"]) == {"no"}
    assert "rows were drawn to find 5 where town=Chur and smokes=no, as " in notes[0].message


def test_a_class_of_a_simple_generator_is_found_among_rows(made):
    notes = []
    rows = sample(made.model, 7, which="Gaussian copula", label="yes", tell=notes.append)
    assert list(rows["smokes"]) == ["yes"] * 7
    assert "rows were drawn to find 7 where smokes=yes, as " in notes[0].message


def test_a_value_that_hardly_any_row_has_is_refused(made, monkeypatch):
    monkeypatch.setattr(row_model, "LEAST_TRIED", 300)
    monkeypatch.setattr(row_model, "TRIED", 1)
    with pytest.raises(InvalidValue, match=r"where must be what more rows have, got .* rows of this model have"):  # fmt: skip
        sample(made.model, 200, which="independent columns", where={"born": make_table()["born"][3], "town": "Bern"})  # fmt: skip


def test_what_is_written_is_what_is_returned_and_nothing_is_replaced(made, tmp_path):
    path = tmp_path / "rows.csv"
    rows = sample(made.folder, 9, output=path, seed=5)
    assert pd.read_csv(path, dtype=str).fillna("").equals(rows.fillna("").astype(str))
    first = path.read_bytes()
    with pytest.raises(InvalidValue, match="output must be new"):
        sample(made.folder, 9, output=path)
    assert path.read_bytes() == first
    sample(made.folder, 9, output=tmp_path / "rows.tsv", seed=5)
    assert (tmp_path / "rows.tsv").read_text().count("\t") == 10 * 5


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"num_samples": 0}, "num_samples must be a whole number from 1 to 1,000,000,000, got 0"),
        ({"which": "netwerk"}, "which must be one of network, "),
        ({"label": "maybe", **NETWORK}, "label must be one of .*got 'maybe'"),
        ({"label": "yes", "where": {"smokes": "no"}, **NETWORK}, "label and where must agree on 'smokes'"),
        ({"guidance": 2, "which": "Gaussian copula"}, "guidance must be 0 for a generator that learned no classes"),
        ({"guidance": -1}, "guidance must be from 0 to 100, got -1"),
        ({"steps": 3, "which": "independent columns"}, "steps must be left out for a generator that is no diffusion model, got 3"),
        ({"steps": 0, **NETWORK}, "steps must be a whole number from 1 to 1,000, got 0"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"where": {"id": "3"}}, "where must name a column that the model learned, got 'id'"),
        ({"output": "rows.png"}, "output must end with .csv or .tsv for rows, got 'rows.png'"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for(made, asked, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        sample(made.model, **{"num_samples": 3, **asked})


def test_missing_cells_come_at_the_rate_of_the_data(made):
    rows = sample(made.model, 3000, which="Gaussian copula")
    truth = make_table()["smokes"].isna().mean()
    assert rows["smokes"].isna().mean() == pytest.approx(truth, abs=0.06)
    rows = sample(made.model, 3000, steps=2, **NETWORK)
    assert rows["smokes"].isna().mean() == pytest.approx(truth, abs=0.06)


def test_other_models_are_refused(tmp_path):
    X = np.linspace(-1, 1, 20)[:, None]
    gradatim.NeuralRegressor(epochs=1, hidden=(2,)).fit(X, X[:, 0]).save(tmp_path / "t")
    with pytest.raises(InvalidType, match="model must be one that 'gradatim fit --generative' wrote, got a NeuralRegressor"):  # fmt: skip
        sample(tmp_path / "t", 3)


def test_it_says_what_it_is(made):
    assert repr(made.model) == "RowGenerator(6 columns; independent columns, Gaussian copula, network)"  # fmt: skip
