"""The claims about sequence models hold in the quick version, which needs no download."""

from itertools import pairwise, product

import numpy as np
import pytest
import torch

from gradatim import experiments
from gradatim.data import Vocabulary
from gradatim.experiments._characters import made_up_entropy, made_up_text, table_bits
from gradatim.experiments._date_translation import make_dates, one_per_style, share_exact
from gradatim.experiments._dates import write_dates
from gradatim.experiments.sequences._reviews import BAD, GOOD, Reviews, make_reviews
from gradatim.experiments.sequences._utterances import WIDTH, load_utterances
from gradatim.experiments.sequences.connected_digits import connect, edit_distance, share_in_place
from gradatim.experiments.sequences.imdb import as_matrix


@pytest.fixture(autouse=True)
def no_downloads(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))


@pytest.mark.parametrize(
    "name",
    [
        "seq2seq-dates",
        "spoken-digits",
        "connected-digits",
        "imdb",
        "char-rnn",
        "word-vectors",
        "sequence-patterns",
    ],
)
def test_every_claim_holds(name):
    smaller = {"train_dates": "1200", "test_dates": "150"} if name == "seq2seq-dates" else {}
    report = experiments.run(name, quick=True, overrides=smaller)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert report.pictures


def test_dates_know_where_their_parts_are():
    dates = write_dates(200, seed=1)
    assert len({len(date.text) for date in dates}) > 5
    for date in dates:
        year, month, day = date.iso.split("-")
        pieces = {
            part: "".join(c for c, p in zip(date.text, date.parts, strict=True) if p == part)
            for part in ("year", "month", "day")
        }
        assert pieces["year"] == year
        assert int(pieces["day"]) == int(day)
        assert pieces["month"] == month or pieces["month"].isalpha()


def test_dates_of_each_style_keep_their_rows():
    dates, _, _ = make_dates(100, 10, seed=0)
    shown = one_per_style(dates)
    orders = {tuple(dict.fromkeys(filter(None, date.parts))) for date in shown.written}
    assert len(shown.written) == 4
    assert orders == {("day", "month", "year"), ("month", "day", "year"), ("year", "month", "day")}
    for k, date in enumerate(shown.written):
        row = dates.written.index(date)
        for part, whole in zip(shown.tensors, dates.tensors, strict=True):
            assert part[k].equal(whole[row])


def test_only_whole_rows_count_as_right():
    target = torch.tensor([[5, 6, 2], [5, 7, 2]])
    assert share_exact(torch.tensor([[5, 6, 2, 0], [5, 6, 2, 0]]), target) == 0.5
    assert share_exact(target[:, :2], target) == 0.0


def test_edit_distance_on_known_pairs():
    assert edit_distance(list(b"kitten"), list(b"sitting")) == 3
    assert edit_distance([], [1, 2]) == 2
    assert edit_distance([1, 2], [1, 2]) == 0
    for a, b in product(product([0, 1], repeat=3), repeat=2):
        assert edit_distance(list(a), list(b)) == edit_distance(list(b), list(a))


def test_strings_are_utterances_end_to_end():
    train, _ = load_utterances("made-up", 50, seed=0)
    strings = connect(train, 20, longest=3, seed=0)
    assert strings.target.min() >= 0
    assert strings.target.max() <= 10
    for b in range(20):
        assert len(strings.borders[b]) == strings.target_lengths[b]
        assert strings.borders[b][-1] == strings.lengths[b]
    perfect = torch.zeros(20, strings.x.shape[1], 11)
    for b, borders in enumerate(strings.borders):
        for k, border in enumerate(borders):
            perfect[b, border - 1, strings.target[b, k]] = 1.0
    assert share_in_place(perfect, strings) > 0.95


def test_half_of_the_made_up_digits_are_the_others_backwards():
    train, test = load_utterances("made-up", 400, seed=0)
    assert all(x.shape[1] == WIDTH for x in train.sequences)
    frames = np.concatenate(train.sequences)
    assert np.allclose(frames.mean(0), 0, atol=1e-4)
    means = np.stack([np.mean([x.mean(0) for x, y in zip(train.sequences, train.labels, strict=True) if y == k], 0) for k in range(10)])  # fmt: skip
    apart = np.linalg.norm(means[:, None] - means[None], axis=-1)
    assert apart[range(5), range(5, 10)].max() < apart[np.triu_indices(5, 1)].min()
    assert len(test.labels) == 80


def test_words_of_made_up_reviews_say_seven_in_ten():
    words, labels = make_reviews(2000, seed=0)
    naive = np.array([int(any(word in GOOD for word in review)) for review in words])
    assert np.mean(naive == labels) == pytest.approx(0.7, abs=0.04)
    assert all(review.count("not") == 1 for review in words)
    turned = [any(a == "not" and b in (*GOOD, *BAD) for a, b in pairwise(r)) for r in words]  # fmt: skip
    assert np.mean((naive == labels) != np.array(turned)) == 1.0


def test_bags_and_matrix_hold_the_same_words():
    reviews = Reviews([["a", "b", "a"], ["c", "x"]], np.array([0, 1]))
    vocabulary = Vocabulary("abc")
    matrix = as_matrix(reviews, vocabulary).toarray()
    assert matrix[:, 4:].tolist() == [[1, 1, 0], [0, 0, 1]]
    assert matrix[:, :4].sum() == 0
    bags, counts, labels = reviews.bags(vocabulary)
    assert bags.tolist() == [[4, 5], [3, 6]]
    assert counts.tolist() == [2, 2]
    assert labels.tolist() == [0, 1]
    assert reviews.tokens(vocabulary, 2)[0].tolist() == [[5, 4], [6, 3]]


def test_the_entropy_of_the_grammar():
    text = made_up_text(200_000, seed=3)
    sentences = text.count("\n")
    assert 11 * sentences / len(text) == pytest.approx(made_up_entropy(), rel=0.01)


def test_tables_mix_contexts_as_witten_and_bell_say():
    train, test, size = np.array([0, 1, 0, 1, 1, 0]), np.array([1, 0, 1]), 2
    counts = {(): [3, 3], (0,): [0, 2], (1,): [2, 1]}

    def predict(context, letter):
        shorter = 1 / size if not context else predict(context[1:], letter)
        seen = counts[context]
        kinds = sum(n > 0 for n in seen)
        return (seen[letter] + kinds * shorter) / (sum(seen) + kinds)

    expected = [predict((1,), 0), predict((0,), 1)]
    assert table_bits(train, test, 1, size) == pytest.approx(-np.log2(expected).mean())
    expected = [predict((), letter) for letter in (1, 0, 1)]
    assert table_bits(train, test, 0, size) == pytest.approx(-np.log2(expected).mean())
