import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from gradatim.data.word_counts import count_terms, read_corpus
from gradatim.fitting.texts import linear
from gradatim.fitting.texts.linear import fit_trivial, fit_words


def reviews(rows=80, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    good, bad, other = ["fine", "lovely"], ["dull", "awful"], ["film", "actor", "story", "night"]
    texts = []
    for k in y:
        words = [*rng.choice(other, 6), *rng.choice(good if k else bad, 2)]
        texts.append(" ".join(rng.permutation(words)))
    return texts, y


def test_frequencies_whatever_the_text():
    model = fit_trivial(np.array([0, 0, 0, 1]), 2)
    outputs = model.outputs(["anything", ""])
    assert outputs == pytest.approx(np.array([[0.7, 0.3]] * 2))  # (3 + 1/2) / 5


def test_mean_for_numbers():
    assert fit_trivial(np.array([1.0, 4.0]), 0).outputs(["x"]).tolist() == [2.5]


def test_logistic_regression_is_scikit_learns():
    texts, y = reviews()
    rows = np.arange(len(y))
    model = fit_words(count_terms(read_corpus(texts)), rows, y, 2, 0)
    from gradatim.fitting.texts.linear import weigh

    X = weigh(count_terms(read_corpus(texts), model.terms).counts, model.rarity)
    other = LogisticRegression(C=1 / model.settings["penalty"], max_iter=300).fit(X, y)
    assert abs(model.outputs(texts) - other.predict_proba(X)).max() < 1e-9


def test_learns_which_words_tell():
    texts, y = reviews()
    model = fit_words(count_terms(read_corpus(texts)), np.arange(len(y)), y, 2, 0)
    fresh, truth = reviews(seed=1)
    assert (model.outputs(fresh).argmax(1) == truth).mean() > 0.95
    weight = dict(zip(model.terms, model.weight[1], strict=True))
    assert min(weight["fine"], weight["lovely"]) > 0 > max(weight["dull"], weight["awful"])


def test_numbers_by_ridge_regression():
    texts, y = reviews()
    model = fit_words(count_terms(read_corpus(texts)), np.arange(len(y)), 10.0 * y, 0, 0)
    fresh, truth = reviews(seed=1)
    assert np.abs(model.outputs(fresh) - 10.0 * truth).mean() < 2.0


def test_a_text_does_not_depend_on_its_mates():
    texts, y = reviews()
    model = fit_words(count_terms(read_corpus(texts)), np.arange(len(y)), y, 2, 0)
    whole = model.outputs(texts)
    alone = np.concatenate([model.outputs([text]) for text in texts])
    assert (whole == alone).all()


@pytest.mark.parametrize("classes", [0, 2])
def test_whole_weights_are_repeated_texts(classes):
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["good", "bad", "so", "very", "film"], 5)) for _ in range(40)]
    y = np.array([t.count("good") > t.count("bad") for t in texts]).astype(int if classes else float)  # fmt: skip
    weight = rng.integers(1, 4, 40)
    counted = count_terms(read_corpus(texts))
    rows = np.arange(40)
    features = linear.weigh(counted.counts, np.ones(counted.counts.shape[1]))
    own = linear._solve(features, y, classes, 0.1, weight.astype(float))
    again = linear._solve(features[np.repeat(rows, weight)], np.repeat(y, weight), classes, 0.1)
    for a, b in zip(own, again, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-2, atol=1e-3)
    trivial = fit_trivial(y, classes, weight.astype(float))
    np.testing.assert_allclose(trivial.bias, fit_trivial(np.repeat(y, weight), classes).bias)
    assert (
        fit_words(counted, rows, y, classes, 0, row_weight=weight.astype(float)).classes == classes
    )
