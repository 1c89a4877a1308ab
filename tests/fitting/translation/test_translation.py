"""Pairs of sentences from file to translator."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim import fit
from gradatim.data.pairs import Pair, Question, read_pairs, split_pairs
from gradatim.data.tokenizers import BytePairTokenizer, ByteTokenizer
from gradatim.errors import InvalidValue, Unavailable
from gradatim.events import Sample
from gradatim.fitting import write_predictions
from gradatim.fitting.rounds import Plan, Size
from gradatim.fitting.translation import course as translation_course
from gradatim.fitting.translation import networks
from gradatim.fitting.translation.batches import PairBatches, decode, encode
from gradatim.fitting.translation.judging import bleu, block_distances, chrf, look_up
from gradatim.reports import report as report_module

NUMBERS = ("eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht")
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
JOB = {"translate": True, "budget": 3600.0}  # time plays no part: the plan is fixed


def count(pairs=900, seed=0):
    """Numbers in words, four to a sentence, in reversed order on the other side."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 8, (pairs, 4))
    return [
        Pair(" ".join(NUMBERS[k] for k in row), " ".join(WORDS[k] for k in row[::-1]))
        for row in drawn
    ]


PLAN = Plan(Size(32, 1, 2), steps=100, rounds=3, batch_size=32, dropout=0.0)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(translation_course, "make_plan", lambda *a, seed, **k: replace(PLAN, seed=seed))  # fmt: skip
    monkeypatch.setattr(report_module, "_png", lambda figure: b"")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("pairs") / "numbers.tsv"
    path.write_text("".join(f"{a}\t{b}\tremark\n" for a, b in count()), encoding="utf-8")
    return path


def test_a_language_is_learned(path, tmp_path):
    told = []
    result = fit(path, **JOB, output=tmp_path / "m", tell=told.append)
    assert sum(" → " in event.content for event in told if isinstance(event, Sample)) == 3
    found = result.player.contestants
    assert (
        found["network"].bleu > found["translation memory"].bleu > found["the source itself"].bleu
    )
    assert result.verdict.recommended == "network"
    model = gradatim.load_model(tmp_path / "m")
    texts = [pair.source for pair in count(20, seed=9)]
    assert model.translate(texts) == result.model.translate(texts)
    (tmp_path / "new.tsv").write_text("\n".join(texts) + "\n\n", encoding="utf-8")
    done = write_predictions(tmp_path / "m", tmp_path / "new.tsv", tmp_path / "out.csv")
    table = pd.read_csv(tmp_path / "out.csv")
    assert done.rows == 20
    assert table["translation"].tolist() == model.translate(texts)
    assert table["text"].tolist() == texts
    same = write_predictions(tmp_path / "m", pd.DataFrame({"t": texts}), tmp_path / "out.csv")
    assert same.rows == 20
    with pytest.raises(InvalidValue, match="texts must not be empty, got one in place 2"):
        model.translate(["eins", ""])
    notes = []
    model.translate(["eins " * 100], notes=notes)
    assert notes == ["1 of 1 texts are longer than 64 tokens; the rest of each is not read."]
    with pytest.raises(InvalidValue, match="model must be one of"):
        write_predictions(tmp_path / "m", tmp_path / "new.tsv", tmp_path / "o.csv", which="tree")


def test_a_killed_run_goes_on_to_the_same_model(path, tmp_path, monkeypatch):
    monkeypatch.setattr(
        translation_course, "make_plan", lambda *a, seed, **k: replace(PLAN, steps=6)
    )
    whole = fit(path, **JOB, output=tmp_path / "a")

    def kill(event):
        if event[0].startswith("round 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(path, **JOB, output=tmp_path / "b", tell=kill)
    again = fit(path, **JOB, output=tmp_path / "b", resume=True)
    for a, b in zip(whole.model.network.parameters(), again.model.network.parameters(), strict=True):  # fmt: skip
        assert a.equal(b)


def test_no_sentence_stands_on_both_sides():
    pairs = [*count(), *(Pair(source, "otherwise") for source, _ in count(100))]
    parts = split_pairs(pairs, 0.2, 0)
    sides = [{p.source for p in part} for part in parts]
    assert not sides[0] & sides[1]
    assert not sides[0] & sides[2]
    assert not sides[1] & sides[2]
    everything = (
        sum(len(q.references) for q in parts.test) + len(parts.train) + len(parts.validation)
    )
    assert everything == len(pairs)


def test_batches_hold_every_pair_once_and_little_padding():
    tokenizer = ByteTokenizer()
    pairs = [Pair("x" * k, "y" * (k + 1)) for k in range(1, 40)]
    batches = PairBatches(pairs, tokenizer, 30, batch_size=4)
    assert batches.left_out == 11  # a side of more than 30 tokens, the end included
    seen = []
    for source, given, target in batches:
        assert source.shape[0] == given.shape[0] == target.shape[0]
        assert given[:, 1:].equal(target[:, :-1])
        seen += [(decode(tokenizer, s), decode(tokenizer, t)) for s, t in zip(source, target, strict=True)]  # fmt: skip
    assert sorted(seen) == sorted(map(tuple, pairs[:28]))
    drawn = PairBatches(pairs, tokenizer, 30, batch_size=4, num_batches=6, seed=1)
    first = [target for *_, target in drawn]
    assert len(first) == 6
    assert all(a.equal(b) for a, (*_, b) in zip(first, drawn, strict=True))
    drawn.set_epoch(1)
    assert any(a.shape != b.shape or not a.equal(b) for a, (*_, b) in zip(first, drawn, strict=True))  # fmt: skip


def test_tokens_give_the_sentence_back():
    tokenizer = BytePairTokenizer.train("fünf ñandú 🙂 " * 9, vocab_size=280)
    assert decode(tokenizer, [*encode(tokenizer, "ñ 🙂 fünf"), 2, 5, 5]) == "ñ 🙂 fünf"


def test_scores_of_known_translations():
    asked = [Question("s", ["the cat sat on the mat", "a cat sat on the mat"])]
    assert bleu(["the cat sat on the mat"], asked) == pytest.approx(100)
    assert bleu(["a cat sat on the mat"], asked) == pytest.approx(100)  # any reference will do
    # precisions 5/6, 3/5, 2/4 and 1/3, no brevity penalty
    assert bleu(["the dog sat on the mat"], asked) == pytest.approx(100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)  # fmt: skip
    assert chrf(["the cat sat on the mat"], asked) == pytest.approx(100)
    many = asked * 40
    distances = block_distances(["the cat sat on the mat"] * 40, many)
    assert distances.shape == (20,)
    np.testing.assert_allclose(distances, 0, atol=1e-9)


def test_the_memory_answers_with_its_nearest_sentence():
    train = [Pair("ein rotes haus", "a red house"), Pair("der hund bellt laut", "the dog barks")]
    asked = [Question("der hund bellt", []), Question("haus", []), Question("xyz", [])]
    assert look_up(train, asked)[:2] == ["the dog barks", "a red house"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "must hold at least 200 pairs of sentences, got 0"),
        (b"one\tuno\n" * 10, "must hold at least 200 pairs of sentences, got 10"),
        (b"one\tuno\ntwo dos\n", "line 2 must hold a sentence, a tab and its translation, got 'two dos'"),
        (b"one\t \n", "line 1 must hold a sentence, a tab and its translation"),
        ("eins\tuño\n".encode("latin-1"), "must be a text in UTF-8, and is not"),
    ],
)  # fmt: skip
def test_files_that_hold_no_pairs(tmp_path, content, sentence):
    (tmp_path / "p.tsv").write_bytes(content)
    with pytest.raises(InvalidValue, match=sentence):
        read_pairs(tmp_path / "p.tsv")


def test_data_that_make_no_sense(path, tmp_path):
    with pytest.raises(Unavailable, match="there is no such file"):
        fit(tmp_path / "none.tsv", **JOB, output=tmp_path / "m")
    with pytest.raises(InvalidValue, match="iris must hold pairs of sentences"):
        fit("iris", **JOB, output=tmp_path / "m")
    with pytest.raises(InvalidValue, match="data must be a file of pairs for a translator"):
        fit(pd.DataFrame({"a": [1]}), **JOB, output=tmp_path / "m")
    with pytest.raises(InvalidValue, match="trials must not be 2 for a translator"):
        fit(path, **JOB, trials=2, output=tmp_path / "m")
    with pytest.raises(InvalidValue, match="must not be given together"):
        fit(path, **JOB, language_model=True, output=tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_more_time_means_a_larger_network_and_more_steps(monkeypatch):
    monkeypatch.setattr(networks, "_seconds_per_step", lambda plan, *rest: plan.size.dim / 6400)
    plans = [networks.make_plan(None, None, seconds=s, seed=0) for s in (-1, 20, 200, 10**4)]
    widths = [plan.size.dim for plan in plans]
    assert widths == sorted(widths)
    assert (widths[0], widths[-1]) == (64, 256)
    assert [plan.steps for plan in plans][:2] == [1, (20 * 100 - 10 * networks.LOOK) // 10]
