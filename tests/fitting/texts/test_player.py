"""Texts from file to model folder."""

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim import fit
from gradatim.errors import InvalidValue
from gradatim.fitting import write_predictions
from gradatim.fitting.kinds import make_options
from gradatim.fitting.texts.kind import TEXT, TextOptions
from gradatim.fitting.texts.player import read_player


def reviews(rows=90, seed=0):
    rng = np.random.default_rng(seed)
    label = np.where(rng.random(rows) < 0.5, "bad", "good")
    told = {"bad": ["dull", "awful", "poor"], "good": ["fine", "lovely", "great"]}
    text = [
        f"{' '.join(rng.choice(['a', 'film', 'we', 'saw', 'it'], 8))} {rng.choice(told[kind])}"
        for kind in label
    ]
    return pd.DataFrame({"id": range(rows), "review": text, "label": label})


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("texts")
    frame = reviews()
    frame.loc[3, "review"] = None
    frame.to_csv(place / "reviews.csv", index=False)
    job = {"text": "review", "target": "label", "trials": 1}
    result = fit(place / "reviews.csv", **job, keep_test_out=True, output=place / "model")
    return place, result


def test_finds_the_words_that_tell(fitted):
    _, result = fitted
    fresh = reviews(seed=1)
    assert (result.model.predict(fresh) == fresh["label"]).mean() > 0.95
    assert result.model.predict_proba(fresh, model="network").shape == (90, 2)


def test_says_what_it_does(fitted):
    _, result = fitted
    assert any("Only 'review' is read; 'id' is left out." in note for note in result.notes)
    assert any("1 row has no text" in note for note in result.notes)
    assert any("Little data" in concern for concern in result.concerns)
    titles = [getattr(section, "title", "") for section in result.report.sections]
    assert "Data" in titles


def test_slices_are_lengths_and_other_columns():
    frame = reviews(40).assign(stars=np.arange(40) % 2 + 0.5)
    frame["review"] = [" ".join(["film"] * (k + 1)) for k in range(40)]
    player = read_player(frame, TextOptions(text=("review",), target="label", with_columns=True))
    test = player.problem.test
    found = dict(player.slices())
    middle = np.median(test + 1)
    short = next(rows for name, rows in found.items() if name.startswith("words ≤"))
    assert (test[short] + 1 <= middle).all()
    assert len(short) == (test + 1 <= middle).sum()
    assert any(name.startswith("stars") for name in found)


@pytest.mark.parametrize("which", ["recommended", "network", "class frequencies"])
def test_predict_reproduces_the_reported_predictions(fitted, which):
    place, _ = fitted
    done = write_predictions(place / "model", place / "reviews.csv", place / "out.csv", which=which)
    assert done.rows == 90
    assert done.notes == ["1 row has no text and is read as empty."]
    if which == "recommended":
        out = pd.read_csv(place / "out.csv")
        reported = pd.read_csv(place / "model" / "predictions.csv")
        rows = out.iloc[reported["row"] - 1].reset_index(drop=True)
        assert rows.equals(reported.drop(columns="row"))


def test_loads_from_its_folder(fitted):
    place, result = fitted
    model = gradatim.load_model(place / "model")
    frame = reviews(seed=2)
    assert (model.predict_proba(frame) == result.model.predict_proba(frame)).all()
    assert repr(model).endswith("for 'label' from 'review')")
    with pytest.warns(UserWarning, match="1 row has no text"):
        model.predict(pd.DataFrame({"review": [None]}))


def test_another_table_is_refused(fitted):
    place, _ = fitted
    model = gradatim.load_model(place / "model")
    with pytest.raises(InvalidValue, match=r"must have the column 'review', and has not\. The nearest is 'reviews'"):  # fmt: skip
        model.predict(pd.DataFrame({"reviews": ["x"]}))


def test_numbers_are_a_regression(tmp_path):
    frame = reviews()
    frame["stars"] = np.where(frame["label"] == "good", 4.5, 1.5) + np.linspace(0, 0.4, len(frame))
    result = fit(frame, text="review", target="stars", trials=1, output=tmp_path / "m")
    assert result.player.task == "regression"
    assert result.model.predict(frame).dtype == float


@pytest.mark.parametrize(
    ("change", "job", "message"),
    [
        ({}, {"text": "revew"}, "text must be a column of the table .* got 'revew'. Try 'review'"),
        ({}, {"text": "label"}, "text must differ from the target"),
        ({}, {"text": "review", "forecast": 3}, "forecast must not be given for texts"),
        (
            {},
            {"text": ("review", "review")},
            "text must name different columns, got .review. twice",
        ),
        (
            {},
            {"text": "review", "with_columns": True, "drop": ("id",)},
            "must have a column beside texts and target that can be read",
        ),
        ({"review": ""}, {"text": "review"}, "text must hold texts, got only empty cells"),
        ({"label": "one"}, {"text": "review"}, "at least two different values"),
    ],
)
def test_bad_input_gets_a_sentence(change, job, message):
    frame = reviews().assign(**change)
    with pytest.raises(InvalidValue, match=message):
        read_player(frame, make_options(TEXT, {"target": "label", **job}))


def test_a_budget_reads_a_sample():
    frame = pd.concat([reviews()] * 3)
    frame["review"] = frame["review"] * 200
    player = read_player(frame, TextOptions(text=("review",), target="label", budget=1.0))
    assert sum(player.rows) < len(frame)
    assert any("as the budget allows" in note for note in player.notes)
