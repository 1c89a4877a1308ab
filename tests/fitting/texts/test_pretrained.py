"""A published encoder in the contest: what it reads, the head against scikit-learn, fine-tuning, the model folder."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import gradatim
from gradatim import fit
from gradatim.data import WordPieceTokenizer
from gradatim.data.word_counts import count_terms, read_corpus
from gradatim.errors import InvalidValue, Unavailable
from gradatim.fitting import write_predictions
from gradatim.fitting.texts import family, player
from gradatim.fitting.texts.family import PretrainedFamily
from gradatim.fitting.texts.kind import TextOptions
from gradatim.fitting.texts.linear import choose_terms, weigh
from gradatim.fitting.texts.pretrained import (
    PretrainedSettings,
    cut_tokens,
    fine_tune,
    fit_head,
    read_vectors,
)
from gradatim.fitting.work import Work
from gradatim.models import BERT, SentenceEncoder

WORDS = ["a", "film", "we", "saw", "it", "dull", "awful", "poor", "fine", "lovely", "great"]


def build_encoder():
    torch.manual_seed(0)
    tokenizer = WordPieceTokenizer.train(" ".join(WORDS), vocab_size=80)
    return SentenceEncoder(BERT(80, 64, 16, 2, 2), tokenizer, max_length=64)


def reviews(rows=80, seed=0):
    rng = np.random.default_rng(seed)
    label = np.where(rng.random(rows) < 0.5, "bad", "good")
    told = {"bad": WORDS[5:8], "good": WORDS[8:]}
    text = [f"{' '.join(rng.choice(WORDS[:5], 6))} {rng.choice(told[kind])}" for kind in label]
    return pd.DataFrame({"review": text, "label": label})


def test_of_long_texts_the_beginning_and_the_end_are_read():
    encoder = build_encoder()
    ids = encoder.tokenizer.encode(" ".join(WORDS * 4))
    short, long = cut_tokens(encoder.tokenizer, ["film", " ".join(WORDS * 4)], 18)
    assert short == [2, *encoder.tokenizer.encode("film"), 3]
    assert long == [2, *ids[:4], *ids[-12:], 3]
    assert cut_tokens(encoder.tokenizer, [""], 18) == [[2, 3]]


def test_the_head_is_logistic_regression_on_both_blocks():
    encoder, frame = build_encoder(), reviews()
    texts, y = list(frame["review"]), (frame["label"] == "good").to_numpy().astype(int)
    counted = count_terms(read_corpus(texts))
    vectors, rows = read_vectors(encoder, texts, 32), np.arange(60)
    model = fit_head(encoder, vectors, counted, rows, y[:60], 2, PretrainedSettings(tokens=32), 0)
    columns, rarity = choose_terms(counted.counts[rows])
    block = vectors - vectors[:60].mean(0)
    block /= vectors[:60].std(0) * 4
    features = sparse.hstack([block, weigh(counted.counts[:, columns], rarity)]).tocsr()
    theirs = LogisticRegression(C=1 / model.settings["penalty"], max_iter=2000)
    theirs.fit(features[:60], y[:60])
    expected = theirs.predict_proba(features[60:])
    np.testing.assert_allclose(model.outputs(texts[60:]), expected, atol=1e-3)
    np.testing.assert_array_equal(model.outputs(texts[60:], vectors[60:]), model.outputs(texts[60:]))  # fmt: skip


def test_a_head_weighs_texts_as_scikit_learn_does():
    encoder, frame = build_encoder(), reviews()
    texts, y = list(frame["review"]), (frame["label"] == "good").to_numpy().astype(int)
    weight = np.random.default_rng(1).uniform(0.1, 5.0, 60)
    counted, vectors, rows = count_terms(read_corpus(texts)), read_vectors(encoder, texts, 32), np.arange(60)  # fmt: skip
    settings = PretrainedSettings(tokens=32)
    model = fit_head(encoder, vectors, counted, rows, y[:60], 2, settings, 0, row_weight=weight)
    columns, rarity = choose_terms(counted.counts[rows])
    scaler = StandardScaler().fit(vectors[:60], sample_weight=weight)
    blocks = scaler.transform(vectors) / 4, weigh(counted.counts[:, columns], rarity)
    features = sparse.hstack(blocks).tocsr()
    theirs = LogisticRegression(C=1 / model.settings["penalty"], max_iter=2000)
    theirs.fit(features[:60], y[:60], weight)
    expected = theirs.predict_proba(features[60:])
    np.testing.assert_allclose(model.outputs(texts[60:]), expected, atol=1e-3)


def test_fine_tuning_follows_the_texts_that_weigh():
    """Every text stands there twice with opposite labels; the weights say which one is meant."""
    encoder, frame = build_encoder(), reviews(100)
    texts = [*frame["review"], *frame["review"]]
    told = (frame["label"] == "good").to_numpy().astype(int)
    y, weight = np.concatenate([told, 1 - told]), np.repeat([1.0, 0.02], 100)
    settings = PretrainedSettings("fine-tuned", 32, lr=3e-3, epochs=6)
    for meant, heavy in ((told, weight), (1 - told, weight[::-1])):
        model, _ = fine_tune(encoder, texts, y, 2, settings, 0, row_weight=heavy)
        assert (model.outputs(texts[:100]).argmax(1) == meant).mean() > 0.95


def test_a_head_reads_the_other_columns_where_they_are_asked_for():
    frame = reviews().assign(stars=lambda t: np.where(t["label"] == "good", 5.0, 1.0))
    frame["review"] = "we saw it"  # which says nothing
    job = TextOptions(text=("review",), target="label", pretrained="minilm", with_columns=True)
    problem = player.prepare(player.read_table(frame), job)
    terms, encoder = count_terms(read_corpus(problem.texts)), build_encoder()
    own = PretrainedFamily(problem, np.full(80, 9), terms, encoder, 0)
    own.vectors = read_vectors(encoder, problem.texts, 32)
    model, _ = own.fit(PretrainedSettings(tokens=32), problem.train, 0)
    said = own.outputs(model, problem.test).argmax(1)
    np.testing.assert_array_equal(said, problem.y[problem.test])


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_fine_tuning_learns_and_leaves_the_published_weights_alone(task):
    encoder, frame = build_encoder(), reviews(200)
    before = {k: v.clone() for k, v in encoder.model.state_dict().items()}
    y = (frame["label"] == "good").to_numpy().astype(int)
    classes, target = (2, y) if task == "classes" else (0, 50.0 + 20.0 * y)
    settings = PretrainedSettings("fine-tuned", 32, lr=3e-3, epochs=6)
    texts = list(frame["review"])
    watched = (texts[:20], target[:20])
    model, history = fine_tune(encoder, texts, target, classes, settings, 0, watched)
    fresh = reviews(60, seed=1)
    said = model.outputs(list(fresh["review"]))
    guess = said.argmax(1) if classes else (said > 60).astype(int)
    assert (guess == (fresh["label"] == "good")).mean() > 0.95
    assert "validation_loss" in history.records[-1]
    assert all(torch.equal(before[k], v) for k, v in encoder.model.state_dict().items())


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("pretrained")
    reviews().to_csv(place / "reviews.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(player, "published_minilm", build_encoder)
        job = {"text": "review", "target": "label", "pretrained": "minilm", "trials": 2}
        result = fit(place / "reviews.csv", **job, output=place / "model")
    return place, result


def test_the_folder_holds_what_predict_needs(fitted, monkeypatch):
    place, result = fitted
    monkeypatch.setenv("GRADATIM_HOME", str(place / "empty"))
    model = gradatim.load_model(place / "model")
    frame = reviews(seed=2)
    for which in ("recommended", "network"):
        said = model.predict_proba(frame, model=which)
        np.testing.assert_array_equal(said, result.model.predict_proba(frame, model=which))
    assert model.fitted("network").kind == "pretrained"
    write_predictions(place / "model", place / "reviews.csv", place / "out.csv", which="network")
    out = pd.read_csv(place / "out.csv")
    assert (out.iloc[:, 0] == reviews()["label"]).mean() > 0.9


def test_the_report_says_what_the_network_is(fitted):
    _, result = fitted
    shown = str([getattr(section, "rows", "") for section in result.report.sections])
    assert "MiniLM" in shown
    assert "tokens read of a text" in shown


def test_reading_is_told_and_a_killed_run_reads_only_the_rest(tmp_path, monkeypatch):
    encoder, frame, read = build_encoder(), reviews(), []
    job = TextOptions(text=("review",), target="label", pretrained="minilm")
    problem = player.prepare(player.read_table(frame), job)
    terms = count_terms(read_corpus(problem.texts))
    whole = family.read_vectors(encoder, problem.texts, 64)

    def counting(encoder, texts, tokens):
        if len(read) == 2:
            raise KeyboardInterrupt
        read.append(len(texts))
        return read_vectors(encoder, texts, tokens)

    monkeypatch.setattr(family, "PART", 30)
    monkeypatch.setattr(family, "read_vectors", counting)
    told, work = [], Work(tmp_path / "work", {}, resume=False)

    tell = told.append

    with pytest.raises(KeyboardInterrupt):
        PretrainedFamily(problem, np.full(80, 9), terms, encoder, 0).prepare(work, None, tell)
    assert read == [30, 30]
    read.clear()
    again = PretrainedFamily(problem, np.full(80, 9), terms, encoder, 0)
    again.prepare(work, None, tell)
    assert read == [20]
    np.testing.assert_array_equal(again.vectors, whole)
    assert told[-1] == ("the encoder has read 60 of 80 texts", 0.75)


def test_a_budget_decides_how_much_is_read_and_what_fine_tuning_costs():
    encoder = build_encoder()
    frame = reviews()
    problem = player.prepare(
        player.read_table(frame), TextOptions(text=("review",), target="label", pretrained="minilm")
    )
    corpus = read_corpus(problem.texts)
    planned = PretrainedFamily(problem, np.full(80, 100), count_terms(corpus), encoder, 0)
    assert planned._affordable(80 * 64) == 64
    assert planned._affordable(80 * 50) == 48
    assert planned._affordable(1) == 32
    assert planned.draw(0).tokens == 64
    planned._ratio = 30.0
    assert planned.cost(planned.draw(0)) == 1.0
    assert planned.cost(planned.draw(1)) == 30.0


def test_a_short_budget_reads_fewer_texts():
    frame = pd.concat([reviews(500)] * 4)
    raw = player.read_table(frame)
    player._sample(
        raw, TextOptions(text=("review",), target="label", pretrained="minilm", budget=10.0)
    )
    assert len(raw.frame) == int(0.55 * 10 * 5000 / 32)


def test_refuses_by_message(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    with pytest.raises(InvalidValue, match=r"pretrained must be .*minilm.*, got 'mini'"):
        TextOptions(pretrained="mini")
    with pytest.raises(Unavailable, match="Run 'gradatim data get minilm' once"):
        player.read_player(
            reviews(), TextOptions(text=("review",), target="label", pretrained="minilm")
        )
    with pytest.raises(InvalidValue, match="pretrained must not be given for a table"):
        fit(reviews(), target="label", pretrained="minilm", output=tmp_path / "m")
