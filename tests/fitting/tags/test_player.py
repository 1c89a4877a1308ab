"""Tagged sentences from file to model folder."""

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim import fit
from gradatim.data.tag_sets import grammar
from gradatim.errors import InvalidType, InvalidValue
from gradatim.fitting import write_predictions
from gradatim.fitting.kinds import find_kind
from gradatim.fitting.tags import networks
from gradatim.fitting.tags.kind import TagOptions
from gradatim.fitting.tags.player import read_player


def lines(num_sentences, seed=0):
    drawn = grammar(num_sentences, seed)
    rows = zip(drawn.words, drawn.tags, strict=True)
    return [" ".join(f"{w}/{t}" for w, t in zip(*row, strict=True)) for row in rows]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("tags")
    (place / "tagged.txt").write_text("\n".join(lines(200)) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(networks, "passes", lambda *a: 4)
        result = fit(place / "tagged.txt", tag=True, trials=1, keep_test_out=True, output=place / "m")  # fmt: skip
    return place, result


def test_the_flag_or_the_set_means_it():
    assert find_kind("t.tsv", {"tag": True}).name == "tag"
    assert find_kind("grammar", {}).name == "tag"
    assert find_kind("t.tsv", {"tag_column": 4}).name == "tag"
    assert find_kind("t.tsv", {}).name == "table"


def test_what_it_says(fitted):
    _, result = fitted
    test = result.report.sections
    titles = [getattr(section, "title", "") for section in test]
    for title in ("Data", "Hardest words of the test", "Sentences with mistakes (in brackets)"):
        assert title in titles
    assert any("fewer than 10 documents are marked" in str(c) for c in result.concerns)
    figures = result.model.about["test"]
    assert list(figures) == ["tag frequencies", "hidden Markov model", "network"]
    assert list(figures["network"]) == ["log loss", "accuracy", "macro F1", "known", "unknown", "sentences"]  # fmt: skip
    cv = result.model.about["cross_validation"]
    assert cv["tag frequencies"]["log loss"] > cv["tag per word"]["log loss"] > cv["hidden Markov model"]["log loss"]  # fmt: skip
    assert cv["hidden Markov model"]["unknown"] > cv["tag per word"]["unknown"] + 0.1
    assert any("most probable path (Viterbi)" in getattr(s, "text", "") for s in test)


def test_predict_reproduces_the_reported_predictions(fitted):
    place, _ = fitted
    done = write_predictions(place / "m", place / "tagged.txt", place / "out.csv")
    out = pd.read_csv(place / "out.csv")
    assert done.notes == []
    reported = pd.read_csv(place / "m" / "predictions.csv")
    assert list(out) == ["sentence", "word", "prediction", "probability"]
    found = out[out["sentence"].isin(reported["sentence"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, reported)


@pytest.mark.parametrize("which", ["recommended", "network", "hidden Markov model", "tag frequencies"])  # fmt: skip
def test_from_python(fitted, which):
    place, result = fitted
    model = gradatim.load_model(place / "m")
    assert repr(model) == repr(result.model)
    texts = ["the fish watches Ada .", "we drink up ."]
    tags = model.predict(texts, model=which)
    assert [len(own) for own in tags] == [5, 4]
    assert tags == model.predict([text.split() for text in texts], model=which)
    shares = model.predict_proba(texts, model=which)
    np.testing.assert_allclose(shares[1].sum(1), 1.0)
    alone = model.predict_proba(texts[1:], model=which)
    np.testing.assert_array_equal(alone[0], shares[1])  # bits do not depend on mates
    if which == "hidden Markov model":
        assert tags[0] == ["article", "noun", "verb", "name", "mark"]
    assert model.predict([]) == []
    assert model.predict(["", "up"], model=which)[0] == []


def test_predict_takes_a_list_and_tells_of_glued_marks(fitted):
    place, _ = fitted
    told = []
    frame = gradatim.predict(place / "m", ["we drink up ."], tell=told.append)
    assert frame["word"].tolist() == ["we", "drink", "up", "."]
    assert not told
    gradatim.predict(place / "m", ["we drink up."], tell=told.append)
    assert "words are told apart by spaces alone" in str(told[0])
    with pytest.raises(InvalidType, match="sentences must be a list of sentences, got a str"):
        gradatim.load_model(place / "m").predict("we drink")
    with pytest.raises(InvalidValue, match="texts or lists of words"):
        gradatim.load_model(place / "m").predict([[1, 2]])


def test_a_long_sentence_is_read_in_pieces(fitted):
    _, result = fitted
    words = ["the", "fish"] * 400
    tags = result.model.predict([words])
    assert len(tags[0]) == 800
    assert set(tags[0][::2]) == {"article"}


def test_documents_stay_whole_in_test_and_folds():
    player = read_player("grammar", TagOptions(trials=1))
    groups = player.problem.documents
    for a, b in [*player.folds, (player.problem.train, player.problem.test)]:
        assert not set(groups[a]) & set(groups[b])
        assert len(np.unique(groups[b])) > 1


def test_a_sample_is_of_whole_documents():
    player = read_player("grammar", TagOptions(trials=1, rows=300))
    assert np.bincount(player.problem.documents).max() == 20
    assert len(np.unique(player.problem.documents)) == 15
    assert "A random sample of 300 of 600 sentences is used, as asked." in player.notes


def test_spans_and_an_own_test(tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(60):
        rows += ["Mr\tB-PER", f"{rng.choice(['Smith', 'Jones'])}\tI-PER", "sings\tO", ""]
    (tmp_path / "t.tsv").write_text("\n".join(rows))
    (tmp_path / "test.tsv").write_text("\n".join([*rows[:40], "Rome\tB-LOC"]))
    job = TagOptions(trials=1, test=str(tmp_path / "test.tsv"))
    player = read_player(tmp_path / "t.tsv", job)
    assert player.rows == (60, 10)
    assert "1 test sentence with tags that no training sentence has is left out." in player.notes
    perfect = np.eye(3)[player.problem.y[player.problem.tokens(player.problem.test)]]
    figures = player.measure(perfect, None)
    assert (figures["span F1"], figures["accuracy"], figures["sentences"]) == (1.0, 1.0, 1.0)
    perfect[1] = [0, 0, 1]  # a name whose second word is missed is no whole name
    assert player.measure(perfect, None)["span F1"] == pytest.approx(2 * 9 / 20)


def test_a_score_that_is_asked_for_decides():
    player = read_player("grammar", TagOptions(trials=1))
    player.judge_by("accuracy")
    output = np.eye(9)[player.problem.y[player.problem.tokens(player.folds[0][1])]]
    assert next(iter(player.measure(output, 0).items())) == ("accuracy", pytest.approx(1.0))
    with pytest.raises(InvalidValue, match="score must suit classes"):
        player.judge_by("rmse")


def test_data_in_memory_are_refused():
    with pytest.raises(InvalidType, match="data must be a file or folder of tagged sentences"):
        read_player(pd.DataFrame({"a": [1]}), TagOptions())
