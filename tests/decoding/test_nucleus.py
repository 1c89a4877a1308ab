"""The nucleus: the smallest likeliest set with enough probability."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.decoding import keep_top_p


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 8), st.floats(0.01, 1.0), st.integers(0, 1000))
def test_is_the_smallest_set_that_suffices(size, p, seed):
    logits = torch.randn(size, generator=torch.Generator().manual_seed(seed)).double()
    odds = logits.softmax(0)
    kept = keep_top_p(logits, p).isfinite()
    chosen, total = set(), 0.0
    for token in sorted(range(size), key=lambda i: -odds[i].item()):
        if total >= p:
            break
        chosen.add(token)
        total += odds[token].item()
    assert set(kept.nonzero().flatten().tolist()) == chosen
    assert torch.equal(keep_top_p(logits, p)[kept], logits[kept])


def test_rows_are_independent_and_one_token_always_remains():
    logits = torch.tensor([[0.0, 1.0, 2.0], [5.0, 0.0, 0.0]])
    assert keep_top_p(logits, 1e-9).isfinite().tolist() == [
        [False, False, True],
        [True, False, False],
    ]
    assert torch.equal(keep_top_p(logits, 1.0), logits)
