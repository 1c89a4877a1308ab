"""Generation: the cache changes nothing, draws follow the odds, mistakes are told."""

import itertools
import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.data.vocabulary import END, PAD
from gradatim.decoding import generate, stream, translate
from gradatim.models import (
    GPT,
    MLP,
    RecurrentLanguageModel,
    Seq2Seq,
    SequenceGenerator,
    Transformer,
)
from gradatim.nn import CELLS
from gradatim.randomness import seeded


def build(vocab_size=9, context=16, positions="learned", seed=0):
    """A model with weights so large that its odds are far from uniform."""
    with seeded(seed):
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


@pytest.mark.parametrize(
    ("prompt", "arguments", "message"),
    [
        ([1], {"temperature": -0.5}, "temperature must be at least 0, got -0.5. Try 0.8, or 0 for the likeliest token."),
        ([1], {"temperature": float("nan")}, "temperature must be at least 0, got nan."),
        ([1], {"top_p": 0.0}, "top_p must be in (0, 1], got 0.0. Try 0.9."),
        ([1], {"top_p": 1.5}, "top_p must be in (0, 1], got 1.5. Try 0.9."),
        ([1], {"top_k": 0}, "top_k must be a whole number from 1, got 0. Try 40."),
        ([1], {"num_beams": 0}, "num_beams must be a whole number from 1 to 1,000, got 0. Try 4."),
        ([1], {"num_beams": 2, "top_k": 3}, "num_beams must be 1 with temperature, top_k or top_p, got 2."),
        ([1], {"num_tokens": -1}, "num_tokens must be a whole number from 0, got -1. Try 100."),
        ([], {}, "prompt must hold at least one token, got none."),
        ([1] * 17, {}, "prompt must be at most the context of 16, got 17. Keep the last 16."),
        ([1, 9], {}, "prompt must be from 0 to 8, got 9. Use the tokenizer that the model was trained with."),
        ([-1, 2], {}, "prompt must be from 0 to 8, got -1."),
    ],
)  # fmt: skip
def test_refuses_in_one_sentence(prompt, arguments, message):
    with pytest.raises(ValueError, match=re.escape(f"generate: {message}")):
        generate(build(), prompt, **({"num_tokens": 3} | arguments))


def test_refuses_numbers_that_are_no_tokens():
    with pytest.raises(TypeError, match="prompt must be whole numbers of shape"):
        generate(build(), torch.tensor([0.5]), 3)


class Chain(nn.Module):
    """A model of one's own: after token ``k`` comes ``k + x``, until nothing but ``<end>`` is left."""

    def __init__(self, vocab_size=9):
        super().__init__()
        self.vocab_size, self.scale = vocab_size, nn.Parameter(torch.tensor(20.0))

    def start(self, x):
        assert not self.training
        return x[:, 0]

    def step(self, state, last):
        following = torch.where(last + state < self.vocab_size, last + state, END)
        return self.scale * F.one_hot(following, self.vocab_size), state


WRITERS = {
    "vector": (lambda: SequenceGenerator(4, 8, hidden_dim=16), torch.randn(3, 4)),
    "source": (lambda: Transformer(9, 8, 12, dim=8, num_heads=2), torch.randint(1, 9, (3, 5))),
    "source and lengths": (
        lambda: Seq2Seq(9, 8, dim=4, hidden_dim=6),
        (torch.randint(4, 9, (3, 5)), torch.tensor([5, 1, 3])),
    ),
}


def make(name):
    build, given = WRITERS[name]
    torch.manual_seed(0)
    model = build()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)
    return model, given


@pytest.mark.parametrize("name", WRITERS)
def test_models_that_read_something_else_begin_a_text_and_end_it(name):
    model, given = make(name)
    rows = given if isinstance(given, tuple) else (given,)
    text = generate(model, given, 9, seed=4)
    assert text.dtype == torch.long
    assert len(text) == 3
    assert text.shape[1] <= 9
    for row in text.tolist():
        after = row[row.index(END) + 1 :] if END in row else []
        assert after == [PAD] * len(after)
    assert torch.equal(text, torch.stack(list(stream(model, given, 9, seed=4)), 1))
    assert generate(model, given, 0).shape == (3, 0)
    assert generate(model, given, 0, num_beams=2).shape == (3, 0)
    found = translate(model, *rows, num_beams=3, max_length=6)
    longest = int(found.lengths[:, 0].max())
    assert torch.equal(generate(model, given, 6, num_beams=3), found.tokens[:, 0, :longest])
    greedy = translate(model, *rows, max_length=6)
    assert torch.equal(generate(model, given, 6, temperature=0.0), greedy.tokens[:, 0])
    one = tuple(part[0] for part in rows)
    alone = generate(model, one if len(one) > 1 else one[0], 6, temperature=0.0)
    assert alone.ndim == 1
    assert torch.equal(alone, greedy.tokens[0, 0, : len(alone)])
    assert model.training


def test_draws_of_a_first_token_follow_the_odds():
    model, x = make("vector")
    odds = model.eval()(x[:1], torch.tensor([[4]])).softmax(-1)[0, 0]
    drawn = generate(model, x[:1].expand(20_000, -1), 1)[:, 0]
    torch.testing.assert_close(drawn.bincount(minlength=8) / 20_000, odds, atol=0.015, rtol=0)


def test_a_model_of_ones_own_needs_two_methods():
    model = Chain()
    text = generate(model, torch.tensor([[2], [3]]), 9, temperature=0.0)
    assert text.tolist() == [[3, 5, 7, END], [4, 7, END, PAD]]  # <start> is 1
    assert generate(model, torch.tensor([2]), 9, num_beams=2).tolist() == [3, 5, 7, END]
    assert model.training


def test_all_language_models_return_prompt_and_continuation():
    torch.manual_seed(0)
    model = RecurrentLanguageModel(9, dim=4, hidden_dim=6)
    text = generate(model, PROMPT, 20, seed=1)
    assert text.shape == (2, 23)
    assert torch.equal(text[:, :3], PROMPT)
    assert torch.equal(text[:, 3:], torch.stack(list(stream(model, PROMPT, 20, seed=1)), 1))
    assert generate(model, [1, 2], 3, num_beams=2).shape == (5,)
    with pytest.raises(ValueError, match=r"generate: prompt must be from 0 to 8, got 9\."):
        generate(model, [9], 3)


@pytest.mark.parametrize("cell", CELLS)
def test_writing_leaves_nothing_in_a_cell_that_training_stumbles_over(cell):
    model = RecurrentLanguageModel(9, dim=4, hidden_dim=4, cell=cell, num_layers=2)
    text = generate(model, PROMPT, 4)
    model(text)[0].sum().backward()
    assert model.embedding.weight.grad is not None


def test_refuses_models_that_cannot_write_or_not_so_much():
    with pytest.raises(TypeError, match="model must be a language model or have methods start and step, got MLP"):  # fmt: skip
        generate(MLP([2, 3]), [1], 3)
    model, source = make("source")
    with pytest.raises(ValueError, match="stream: num_tokens must be at most the context of 12, got 13"):  # fmt: skip
        stream(model, source, 13)


UNEQUAL = [[1, 2, 3, 5, 7], [4], [6, 6, 0]]


def language_models():
    yield "gpt", build()
    yield "rotary", build(positions="rotary")
    with seeded(1):
        yield "recurrent", RecurrentLanguageModel(9, hidden_dim=12)


LANGUAGE_MODELS = dict(language_models())


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("name", LANGUAGE_MODELS)
def test_prompts_of_different_lengths_are_gone_on_with_as_each_alone(name, use_cache):
    """Past the context of 16 too, where the window jumps."""
    model, how = LANGUAGE_MODELS[name], {"temperature": 0.0, "use_cache": use_cache}
    together = generate(model, UNEQUAL, 20, **how)
    assert together.shape == (3, 25)
    for row, prompt in zip(together, UNEQUAL, strict=True):
        alone = generate(model, prompt, 20, **how)
        assert row[: len(alone)].tolist() == alone.tolist()
        assert (row[len(alone) :] == PAD).all()
    tensors = [torch.tensor(prompt) for prompt in UNEQUAL]
    assert torch.equal(generate(model, tensors, 20, **how), together)


@pytest.mark.parametrize("name", LANGUAGE_MODELS)
def test_a_stop_ends_a_text_and_is_its_last_token(name):
    model = LANGUAGE_MODELS[name]
    free = generate(model, UNEQUAL, 12, seed=3)
    stops = (2, 5)
    stopped = generate(model, UNEQUAL, 12, seed=3, stop=stops)
    for row, whole, prompt in zip(stopped.tolist(), free.tolist(), UNEQUAL, strict=True):
        new = whole[len(prompt) : len(prompt) + 12]
        ends = [i for i, token in enumerate(new) if token in stops]
        kept = new[: ends[0] + 1] if ends else new
        assert row == prompt + kept + [PAD] * (len(row) - len(prompt) - len(kept))
    equal = generate(model, PROMPT, 12, seed=3, stop=4)
    for row in equal[:, 3:].tolist():
        assert 4 not in row or set(row[row.index(4) + 1 :]) <= {PAD}


def test_a_stop_ends_the_whole_early_and_a_search_and_a_stream_too():
    model = build()
    first = int(generate(model, PROMPT[:1], 1, temperature=0.0)[0, -1])
    for how in ({"temperature": 0.0}, {"num_beams": 2}):
        text = generate(model, PROMPT[:1], 12, stop=range(9), **how)
        assert text.shape == (1, 4)
    assert generate(model, [1, 2, 3], 12, temperature=0.0, stop=first).tolist() == [1, 2, 3, first]
    drawn = list(stream(model, PROMPT[:1], 12, temperature=0.0, stop=[first]))
    assert [int(token) for token in drawn] == [first]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: generate(build(), [[1], [2, 3]], 2, num_beams=2), "num_beams must be 1 with prompts of different lengths, got 2"),
        (lambda: stream(build(), [[1], [2, 3]], 2), "prompts must be equally long, got different lengths. Try generate"),
        (lambda: generate(build(), [[1], []], 2), "prompt must hold at least one token"),
        (lambda: generate(build(), [[1], [2, 99]], 2), "prompt must be from 0 to 8, got 99"),
        (lambda: generate(build(), [1], 2, stop=-1), "stop must be a token or several, whole numbers from 0, got -1"),
        (lambda: generate(build(), [1], 2, stop=[1.5]), "stop must be a token or several"),
    ],
)  # fmt: skip
def test_bad_stops_and_prompts(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
