"""Texts in a column of a table."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

import gradatim
from gradatim.data.tables.columns import Column, Levels
from gradatim.errors import InvalidValue
from gradatim.fitting.tables.preprocessing import fit_preprocessing, from_json
from gradatim.fitting.tables.themes import learn_themes, read_themes

WORDS = np.array(["good", "bad", "film", "plot", "actor", "scene", "music", "light"])


def reviews(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, 7)) for _ in range(rows)]
    value = np.array([text.split().count("good") - text.split().count("bad") for text in texts])
    return texts, value + 0.1 * rng.normal(size=rows), rng


def test_themes_are_those_of_latent_semantic_analysis():
    texts, _, _ = reviews()
    found = read_themes(texts, learn_themes(texts, np.arange(len(texts))))
    theirs = TfidfVectorizer(sublinear_tf=True, norm="l2").fit_transform(texts).toarray()
    count = found.shape[1]
    basis = np.linalg.svd(theirs, full_matrices=False)[2][:count]
    expected = theirs @ basis.T
    # the same directions, each with variance 1 and either sign
    for own, other in zip(found.T, (expected / expected.std(0)).T, strict=True):
        assert min(np.abs(own - other).max(), np.abs(own + other).max()) < 1e-6


def test_rows_that_are_judged_teach_nothing():
    texts, _, _ = reviews(40)
    strange = [*texts, *["unheard of matters entirely"] * 9]
    cells = {"t": Levels(np.arange(len(strange)), strange)}
    encoder = fit_preprocessing(cells, [Column("t", "text")], np.arange(40)).encoders[0]
    assert "unheard" not in encoder.words
    assert not encoder.encode(cells["t"])[40:].any()


def test_a_table_learns_from_its_texts(tmp_path):
    texts, value, rng = reviews()
    frame = pd.DataFrame({"x": rng.normal(size=300), "review": texts, "y": value})
    frame.loc[::17, "review"] = None
    result = gradatim.fit(frame, "y", trials=1, output=tmp_path / "m")
    figures = result.player.problem
    assert [c.kind for c in figures.columns] == ["numeric", "text"]
    model = gradatim.load_model(tmp_path / "m")
    said = model.predict(frame)
    assert np.corrcoef(said, frame["y"])[0, 1] > 0.8
    alone = model.predict(frame.iloc[3].to_dict())
    assert alone == pytest.approx(said[3], rel=1e-9)
    assert np.isfinite(model.predict(pd.DataFrame({"x": [0.0], "review": [None]}))).all()
    with pytest.raises(InvalidValue, match="export: columns must be numbers, dates and categories, got texts in 'review'"):  # fmt: skip
        gradatim.fitting.export_torch(tmp_path / "m", tmp_path / "m.pt2", which="ridge regression")


def test_words_of_a_stranger_are_checked():
    texts, _, _ = reviews(40)
    cells = {"t": Levels(np.arange(40), texts)}
    stored = fit_preprocessing(cells, [Column("t", "text")], np.arange(40)).to_json()
    again = from_json(stored).transform(cells)
    np.testing.assert_array_equal(again, fit_preprocessing(cells, [Column("t", "text")], np.arange(40)).transform(cells))  # fmt: skip
    for change in ({"words": ["a"]}, {"rarity": [float("nan")] * len(stored[0]["rarity"])}):
        with pytest.raises(InvalidValue, match="load_model: words of 't' must be texts with a finite weight"):  # fmt: skip
            from_json([{**stored[0], **change}])


def test_texts_without_common_words_have_no_themes():
    assert learn_themes(["one two", "three four", "five"], np.arange(3)) is None
    cells = {"t": Levels(np.arange(3), ["one two", "three four", "five"])}
    prepared = fit_preprocessing(cells, [Column("t", "text")], np.arange(3))
    assert prepared.names == ["t is missing"]
    assert prepared.transform(cells).shape == (3, 1)
