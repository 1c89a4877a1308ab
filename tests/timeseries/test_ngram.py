"""The n-gram model: counts by hand, a slow recursion, and the laws of probability."""

import math
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidType, InvalidValue
from gradatim.timeseries import NGram

TEXT = torch.tensor([0, 1, 0, 1, 2])


def slow_probability(texts, order, V, d, context, token):
    """The definition as a recursion over dictionaries of counts."""
    if order == 0:
        return 1 / V
    context = tuple(context)[-(order - 1) :] if order > 1 else ()
    if len(context) < order - 1:
        return slow_probability(texts, order - 1, V, d, context, token)
    grams = Counter(
        tuple(text[t : t + order]) for text in texts for t in range(len(text) - order + 1)
    )
    after = {gram[-1]: count for gram, count in grams.items() if gram[:-1] == context}
    if not after:
        return slow_probability(texts, order - 1, V, d, context[1:], token)
    total = sum(after.values())
    if len(after) == V:
        return (after[token] - d) / total + d / total
    if token in after:
        return (after[token] - d) / total
    shorter = context[1:]
    seen = sum(slow_probability(texts, order - 1, V, d, shorter, other) for other in after)
    alpha = d * len(after) / total / (1 - seen)
    return alpha * slow_probability(texts, order - 1, V, d, shorter, token)


def test_worked_by_hand():
    model = NGram(2, 3).fit([TEXT])
    # alone: counts 2, 2, 1 of 5, all tokens seen, so each gets 0.45 / 3 back
    np.testing.assert_allclose(model.distribution([]), [0.4, 0.4, 0.2])
    # after 0: token 1 twice of 2; the rest 0.375 goes to 0 and 2 in proportion 0.4 to 0.2
    np.testing.assert_allclose(model.distribution([0]), [0.25, 0.625, 0.125])
    product = 0.4 * 0.625 * 0.125 * 0.625
    assert model.perplexity(torch.tensor([0, 1, 0, 1])) == pytest.approx(product ** (-1 / 4))


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=12), min_size=1, max_size=3),
    st.integers(1, 4),
    st.lists(st.integers(0, 4), max_size=4),
    st.sampled_from([0.3, 0.75]),
)
def test_against_the_recursion(texts, order, context, d):
    model = NGram(order, 5, discount=d).fit([torch.tensor(text) for text in texts])
    found = model.distribution(torch.tensor(context, dtype=torch.long))
    context = context[-(order - 1) :] if order > 1 else []
    expected = [slow_probability(texts, len(context) + 1, 5, d, context, w) for w in range(5)]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found.sum().item() == pytest.approx(1.0)
    assert (found > 0).all()


def test_log_probabilities_are_those_of_the_distributions():
    generator = torch.Generator().manual_seed(0)
    train, test = torch.randint(0, 4, (2, 60), generator=generator)
    model = NGram(3, 4).fit([train])
    found = model.log_probabilities(test)
    for t in range(60):
        expected = model.distribution(test[:t])[test[t]].log()
        assert found[t].item() == pytest.approx(expected.item())
    assert model.log_probabilities(test[:1]).shape == (1,)


def test_uniform_text_has_the_perplexity_of_its_vocabulary():
    generator = torch.Generator().manual_seed(1)
    train, test = torch.randint(0, 8, (2, 40_000), generator=generator)
    assert NGram(2, 8).fit([train]).perplexity(test) == pytest.approx(8.0, abs=0.03)


def test_context_helps_where_there_is_structure():
    text = torch.arange(3000) % 7
    known = [NGram(order, 7).fit([text[:2000]]).perplexity(text[2000:]) for order in (1, 2, 3)]
    assert known[0] == pytest.approx(7.0, abs=0.1)
    assert max(known[1:]) < 1.1


def test_samples_have_the_grams_of_the_text():
    text = torch.tensor([0, 1, 2] * 200)
    drawn = (
        NGram(2, 3, discount=0.01)
        .fit([text])
        .sample(60, generator=torch.Generator().manual_seed(2))
    )
    follows = (drawn[1:] == (drawn[:-1] + 1) % 3).double().mean()
    assert follows > 0.95


def test_sequences_are_not_joined():
    model = NGram(2, 4).fit([torch.tensor([0, 1]), torch.tensor([2, 3])])
    assert model.distribution([1]).sum().item() == pytest.approx(1.0)
    np.testing.assert_allclose(model.distribution([1]), model.distribution([]))  # nothing follows 1


def test_texts_shorter_than_the_order():
    model = NGram(5, 3).fit([torch.tensor([0, 1])])
    assert math.isfinite(model.perplexity(torch.tensor([2, 2, 2, 2, 2, 2, 2])))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: NGram(0, 3), InvalidValue, "order and vocab_size must be at least 1"),
        (
            lambda: NGram(2, 3, discount=1.0),
            InvalidValue,
            r"discount in \(0, 1\), got 2, 3 and 1.0",
        ),
        (
            lambda: NGram(5, 50_000),
            InvalidValue,
            "below 2\\*\\*63, got 50000\\*\\*5. Lower the order",
        ),
        (lambda: NGram(2, 3).fit([]), InvalidValue, "at least one sequence, got none"),
        (lambda: NGram(2, 3).fit([torch.tensor([], dtype=torch.long)]), InvalidValue, "not empty"),
        (
            lambda: NGram(2, 3).fit([TEXT.double()]),
            InvalidType,
            "must be integers, got torch.float64",
        ),
        (lambda: NGram(2, 2).fit([TEXT]), InvalidValue, "between 0 and 1, got 2"),
        (lambda: NGram(2, 3).fit([-TEXT]), InvalidValue, "between 0 and 2, got -2"),
        (lambda: NGram(2, 3).perplexity(TEXT), InvalidValue, "must be fitted first"),
        (lambda: NGram(2, 3).distribution([0]), InvalidValue, "must be fitted first"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
