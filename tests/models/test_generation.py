"""Generation: the cache changes nothing, draws follow the odds, mistakes are told."""

import itertools
import re

import pytest
import torch

from gradatim.models import GPT, generate, stream
from gradatim.models.generation import NextToken, window_start


def build(vocab_size=9, context=16, positions="learned", seed=0):
    """A model with weights so large that its odds are far from uniform."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = GPT(vocab_size, context, 8, 2, 2, positions=positions)
        for parameter in model.parameters():
            if parameter.ndim > 1:
                torch.nn.init.normal_(parameter, std=0.5)
    return model


PROMPT = torch.tensor([[1, 2, 3], [4, 4, 0]])


@pytest.mark.parametrize(
    "how",
    [
        {"temperature": 0.0},
        {"temperature": 1.3},
        {"top_k": 3},
        {"top_p": 0.7, "temperature": 0.8},
        {"num_beams": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_cached_and_uncached_give_the_same_tokens_past_the_context_too(how, positions):
    model = build(positions=positions)
    cached = generate(model, PROMPT, 40, **how)
    assert cached.shape == (2, 43)
    assert torch.equal(cached, generate(model, PROMPT, 40, use_cache=False, **how))
    assert torch.equal(cached[:, :3], PROMPT)


def test_greedy_is_the_argmax_of_the_model_by_hand():
    model, tokens = build().eval(), PROMPT
    for _ in range(13):
        tokens = torch.cat((tokens, model(tokens)[:, -1].argmax(-1, keepdim=True)), dim=1)
    assert torch.equal(generate(model, PROMPT, 13, temperature=0.0), tokens)


def test_a_full_window_jumps_by_half_a_context():
    for context in (1, 2, 5, 8):
        for length in range(1, 40):
            start = window_start(length, context)
            assert 0 <= start < length
            assert length - start <= context
            assert start == 0 if length <= context else length - start > context // 2 - 1


def test_draws_follow_tempered_odds():
    model, prompt = build(vocab_size=5).eval(), torch.tensor([[1, 2]]).expand(20_000, 2)
    odds = (model(prompt[:1])[0, -1] / 0.7).softmax(0)
    drawn = generate(model, prompt, 1, temperature=0.7)[:, -1]
    measured = torch.bincount(drawn, minlength=5) / 20_000
    torch.testing.assert_close(measured, odds, atol=0.015, rtol=0)
    few = generate(model, prompt, 1, top_k=2)[:, -1]
    assert set(few.tolist()) == set(odds.topk(2).indices.tolist())


def test_beam_search_as_wide_as_all_continuations_finds_the_best_of_them():
    model = build(vocab_size=4, seed=3).eval()
    prompt = torch.tensor([0, 1])

    def score(continuation):
        tokens = torch.cat((prompt, torch.tensor(continuation))).unsqueeze(0)
        odds = model(tokens[:, :-1]).log_softmax(-1)[0]
        return sum(odds[t, tokens[0, t + 1]].item() for t in range(1, 4))

    best = max(itertools.product(range(4), repeat=3), key=score)
    assert generate(model, prompt, 3, num_beams=64)[2:].tolist() == list(best)
    greedy = generate(model, prompt, 3, temperature=0.0)[2:].tolist()
    assert score(greedy) <= score(best)


def test_seeds_fix_the_draws_and_the_global_state_is_untouched():
    model, state = build(), torch.get_rng_state()
    first, second = (generate(model, PROMPT, 20, seed=s) for s in (1, 2))
    assert torch.equal(first, generate(model, PROMPT, 20, seed=1))
    assert not torch.equal(first, second)
    assert torch.equal(torch.get_rng_state(), state)


def test_a_stream_is_the_same_token_by_token():
    model = build()
    tokens = torch.stack(list(stream(model, PROMPT, 20, seed=1)), dim=1)
    assert torch.equal(tokens, generate(model, PROMPT, 20, seed=1)[:, 3:])


def test_the_model_is_left_as_it_was_and_the_tokens_can_be_trained_on():
    model = build()
    model.blocks.eval()
    for how in ({}, {"num_beams": 2}):
        tokens = generate(model, PROMPT, 4, **how)
        model(tokens).sum().backward()
    assert model.training
    assert not model.blocks.training
    [token] = itertools.islice(stream(model, PROMPT, 9), 1)
    model(token.unsqueeze(1)).sum().backward()


def test_nothing_to_add_is_the_prompt():
    assert torch.equal(generate(build(), PROMPT, 0), PROMPT)
    assert torch.equal(generate(build(), PROMPT, 0, num_beams=2), PROMPT)
    assert generate(build(), [1, 2], 3).shape == (5,)


def test_the_cache_is_fed_new_tokens_only():
    model, fed = build().eval(), []
    model.embedding.register_forward_hook(lambda module, args, out: fed.append(args[0].shape[1]))
    next_token, tokens = NextToken(model, 2, use_cache=True), torch.zeros(2, 20, dtype=torch.long)
    for end in range(3, 20):
        next_token(tokens[:, :end])
    assert fed == [3] + 13 * [1] + [9] + 2 * [1]  # the window jumps at 17 tokens


@pytest.mark.parametrize(
    ("tokens", "arguments", "message"),
    [
        ([1], {"temperature": -0.5}, "temperature must be at least 0, got -0.5. Try 0.8, or 0 for the likeliest token."),
        ([1], {"temperature": float("nan")}, "temperature must be at least 0, got nan."),
        ([1], {"top_p": 0.0}, "top_p must be in (0, 1], got 0.0. Try 0.9."),
        ([1], {"top_p": 1.5}, "top_p must be in (0, 1], got 1.5. Try 0.9."),
        ([1], {"top_k": 0}, "top_k must be a whole number from 1, got 0. Try 40."),
        ([1], {"num_beams": 0}, "num_beams must be a whole number from 1, got 0. Try 4."),
        ([1], {"num_beams": 2, "top_k": 3}, "num_beams must be 1 with temperature, top_k or top_p, got 2."),
        ([1], {"num_tokens": -1}, "num_tokens must be a whole number from 0, got -1. Try 100."),
        ([], {}, "tokens must hold at least one token, got an empty prompt."),
        ([1] * 17, {}, "tokens must be at most the context of 16, got 17. Keep the last 16."),
        ([1, 9], {}, "tokens must be from 0 to 8, got 9. Use the tokenizer that the model was trained with."),
        ([-1, 2], {}, "tokens must be from 0 to 8, got -1."),
    ],
)  # fmt: skip
def test_refuses_in_one_sentence(tokens, arguments, message):
    with pytest.raises(ValueError, match=re.escape(f"generate: {message}")):
        generate(build(), tokens, **({"num_tokens": 3} | arguments))


def test_refuses_numbers_that_are_no_tokens():
    with pytest.raises(TypeError, match="tokens must be whole numbers of shape"):
        generate(build(), torch.tensor([0.5]), 3)
