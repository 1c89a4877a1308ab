from functools import partial

import pytest
import torch
from scipy.stats import chisquare

from gradatim.decoding import draw_tokens, sample
from gradatim.errors import InvalidValue


def drawing(seed, **how):
    return partial(draw_tokens, generator=torch.Generator().manual_seed(seed), **how)


def test_tokens_are_drawn_with_tempered_odds():
    p = torch.tensor([0.1, 0.2, 0.7], dtype=torch.float64)
    for temperature in (1.0, 2.0, 0.5):
        drawn = draw_tokens(
            p.log().expand(20_000, 3),
            temperature=temperature,
            generator=torch.Generator().manual_seed(0),
        )
        odds = p ** (1 / temperature)
        expected = odds / odds.sum() * 20_000
        assert chisquare(drawn.bincount(minlength=3).numpy(), expected.numpy()).pvalue > 1e-3


def test_top_k_leaves_the_others_out():
    logits = torch.tensor([[0.0, 2.0, 1.0, -1.0]]).expand(4_000, 4)
    drawn = draw_tokens(logits, top_k=2, generator=torch.Generator().manual_seed(0))
    counts = drawn.bincount(minlength=4)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert counts[1] / 4_000 == pytest.approx(torch.sigmoid(torch.tensor(1.0)).item(), abs=0.03)
    assert draw_tokens(logits, top_k=1).unique().tolist() == [1]
    assert draw_tokens(logits, temperature=0).unique().tolist() == [1]


def test_the_nucleus_is_taken_after_the_temperature():
    p = torch.tensor([0.5, 0.3, 0.15, 0.05], dtype=torch.float64)
    sharp = p**2 / (p**2).sum()  # 0.685, 0.247, 0.062, 0.007: two tokens make 0.9, not three
    drawn = draw_tokens(
        p.log().expand(20_000, 4), temperature=0.5, top_p=0.9, generator=torch.Generator().manual_seed(0)
    )  # fmt: skip
    counts = drawn.bincount(minlength=4)
    assert counts[2:].tolist() == [0, 0]
    expected = sharp[:2] / sharp[:2].sum() * 20_000
    assert chisquare(counts[:2].numpy(), expected.numpy()).pvalue > 1e-3
    with pytest.raises(InvalidValue, match=r"draw_tokens: top_p must be in \(0, 1\], got 0"):
        draw_tokens(p.log()[None], top_p=0)


def test_equal_generators_give_equal_tokens():
    def step(state, last):
        return torch.zeros(len(last), 9), state

    runs = [
        torch.stack(list(sample(step, None, torch.zeros(4, dtype=torch.long), 7, draw=drawing(3))), 1)
        for _ in range(2)
    ]  # fmt: skip
    assert runs[0].shape == (4, 7)
    assert torch.equal(*runs)


def test_the_state_is_passed_on_and_padding_follows_the_end():
    def step(state, last):  # counts up: rows end when their count reaches 3
        return torch.nn.functional.one_hot(state, 9).float().log(), state + 1

    tokens = sample(
        step, torch.tensor([3, 1, 2]), torch.zeros(3, dtype=torch.long), 8, end=3, padding=7
    )
    assert torch.stack(list(tokens), 1).tolist() == [[3, 7, 7], [1, 2, 3], [2, 3, 7]]


def test_nothing_to_draw_is_nothing():
    assert list(sample(lambda s, last: (last, s), None, torch.tensor([1, 2]), 0)) == []


def test_bad_arguments_are_refused():
    with pytest.raises(
        InvalidValue, match=r"draw_tokens: temperature must be at least 0, got -1\. Try 0\.8"
    ):
        draw_tokens(torch.zeros(1, 2), temperature=-1)
    with pytest.raises(
        InvalidValue, match="draw_tokens: top_k must be a whole number from 1, got 0"
    ):
        draw_tokens(torch.zeros(1, 2), top_k=0)
    with pytest.raises(
        InvalidValue, match="sample: num_tokens must be a whole number from 0, got -1"
    ):
        next(sample(lambda s, last: (last, s), None, torch.zeros(1), -1))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("how", [{"temperature": 1e-320}, {"temperature": 1e-30}, {"temperature": 1e-7}, {"top_p": 1e-320}, {"top_p": 1e-30}])  # fmt: skip
def test_towards_zero_the_likeliest_is_taken(how, dtype):
    logits = torch.randn(50, 30, generator=torch.Generator().manual_seed(0)).mul(20).to(dtype)
    drawn = draw_tokens(logits, generator=torch.Generator().manual_seed(1), **how)
    assert torch.equal(logits.gather(1, drawn[:, None])[:, 0], logits.amax(1))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_temperature_then_top_k_then_top_p_of_what_is_left(temperature):
    """Hugging Face's order: the nucleus is one of the renormalized odds of the top_k."""
    p = torch.tensor([0.3, 0.25, 0.2, 0.15, 0.1]).double()
    odds = p ** (1 / temperature)
    odds[3:] = 0  # top_k=3
    odds = odds / odds.sum()
    kept, total = 0, 0.0
    while total < 0.7:
        total += odds[kept].item()
        kept += 1
    expected = odds[:kept] / odds[:kept].sum()
    drawn = draw_tokens(
        p.log().expand(40_000, 5), temperature=temperature, top_k=3, top_p=0.7,
        generator=torch.Generator().manual_seed(0),
    )  # fmt: skip
    shares = torch.bincount(drawn, minlength=5) / 40_000
    torch.testing.assert_close(shares[:kept].double(), expected, atol=0.01, rtol=0)
    assert (shares[kept:] == 0).all()


def test_several_tokens_end_a_sequence():
    table = torch.eye(4).roll(1, 1).log()  # 0, 1, 2, 3, 0, …
    greedy = partial(draw_tokens, temperature=0)
    drawn = sample(
        lambda s, last: (table[last], s),
        None,
        torch.tensor([0, 2]),
        9,
        draw=greedy,
        end=(2, 3),
        padding=1,
    )
    assert [token.tolist() for token in drawn] == [[1, 3], [2, 1]]
