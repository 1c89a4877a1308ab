"""Several columns of texts, and the other columns of the table beside them."""

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim import fit
from gradatim.errors import InvalidValue
from gradatim.fitting.kinds import make_options
from gradatim.fitting.texts.kind import TEXT, TextOptions
from gradatim.fitting.texts.player import read_player


def table(rows=160, seed=0):
    """Neither title nor body nor number alone tells the label: it is told by one of three at random."""
    rng = np.random.default_rng(seed)
    label = rng.random(rows) < 0.5
    told = rng.integers(0, 3, rows)
    word = np.where(label, "fine", "dull")
    quiet = np.full(rows, "a film")
    return pd.DataFrame(
        {
            "title": np.where(told == 0, word, quiet),
            "body": np.where(told == 1, word, quiet),
            "stars": np.where(told == 2, np.where(label, 5.0, 1.0), 3.0) + 0.01 * rng.normal(size=rows),
            "town": rng.choice(["Bern", "Basel"], rows),
            "label": np.where(label, "good", "bad"),
        }
    )  # fmt: skip


def right(job, **how):
    player = read_player(table(), TextOptions(target="label", trials=1, **job))
    model = player.fit(gradatim.fitting.player.Candidate("linear on words"), 0)
    return player.measure(player.outputs(model, 0), 0)["accuracy"]


def test_what_more_columns_tell_is_learned():
    one = right({"text": ("title",)})
    two = right({"text": ("title", "body")})
    all_of_them = right({"text": ("title", "body"), "with_columns": True})
    assert one < 0.8
    assert one + 0.1 < two < 0.95
    assert all_of_them > 0.97


def test_texts_of_a_row_are_read_in_the_order_given():
    player = read_player(table(), TextOptions(text=("body", "title"), target="label", trials=1))
    frame = table()
    assert player.problem.texts[0] == f"{frame['body'][0]}\n\n{frame['title'][0]}"
    assert "Only 'body' and 'title' are read; 'stars', 'town' are left out. Add --with-columns to read them too." in player.notes  # fmt: skip


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("columns")
    how = {"text": ["title", "body"], "with_columns": True, "drop": "town", "trials": 1}
    result = fit(table(), "label", **how, keep_test_out=True, output=place / "m")
    return place, result


@pytest.mark.parametrize("which", ["linear on words", "network", "class frequencies"])
def test_a_folder_reads_both(fitted, which):
    place, result = fitted
    model = gradatim.load_model(place / "m")
    fresh = table(seed=1)
    said = model.predict_proba(fresh, model=which)
    np.testing.assert_array_equal(said, result.model.predict_proba(fresh, model=which))
    np.testing.assert_array_equal(model.predict_proba(fresh[7:8], model=which)[0], said[7])
    if which != "class frequencies":
        assert (model.predict(fresh, model=which) == fresh["label"]).mean() > 0.95
        other = fresh.assign(stars=3.0)
        assert not np.allclose(model.predict_proba(other, model=which), said)
    with pytest.raises(InvalidValue, match="column 'stars'"):
        model.predict(fresh.drop(columns="stars"), model=which)
    with pytest.raises(InvalidValue, match="must have the column 'body', and has not"):
        model.predict(fresh.drop(columns="body"), model=which)


def test_what_is_read_is_said(fitted):
    _, result = fitted
    assert "from 'title' and 'body' and 1 other column" in result.headline
    assert repr(result.model).endswith("for 'label' from 'title' and 'body')")
    assert [column["name"] for column in result.model.columns] == ["stars"]


def test_options_are_read_as_given():
    assert make_options(TEXT, {"text": "a"}).text == ("a",)
    assert make_options(TEXT, {"text": ["a", "b"]}).text == ("a", "b")
