"""Whatever a model reads, its steps go on from there as its whole forward pass does."""

import pytest
import torch

from gradatim.data.vocabulary import END, PAD, START
from gradatim.decoding.beam import beam_search
from gradatim.decoding.writing import begin, is_language_model, read, search
from gradatim.models import (
    GPT,
    RecurrentLanguageModel,
    Seq2Seq,
    SequenceGenerator,
    Transformer,
    shift_right,
)

TOKENS = torch.tensor([[4, 5, 6, 3], [5, 3, 4, 4]])


def with_prompt(build):
    def whole(model, given, target):
        logits = model(torch.cat([given[0], target], 1))
        logits = logits[0] if isinstance(logits, tuple) else logits
        return logits[:, given[0].shape[1] - 1 : -1]

    return build, (TOKENS,), whole


CASES = {
    "gpt": with_prompt(lambda: GPT(7, 12, 8, 2, 2)),
    "recurrent": with_prompt(lambda: RecurrentLanguageModel(7, dim=4, hidden_dim=6, num_layers=2)),
    "vector": (
        lambda: SequenceGenerator(4, 7, num_layers=2, cell="lstm"),
        (TOKENS.double(),),
        lambda model, given, target: model(*given, target),
    ),
    "transformer": (
        lambda: Transformer(7, 7, 12, dim=8, num_heads=2),
        (TOKENS,),
        lambda model, given, target: model(*given, shift_right(target)),
    ),
    "seq2seq": (
        lambda: Seq2Seq(7, 7, dim=4, hidden_dim=6, num_layers=2),
        (TOKENS, torch.tensor([4, 2])),
        lambda model, given, target: model(*given, target),
    ),
}


@pytest.mark.parametrize("case", CASES)
@torch.no_grad()
def test_steps_equal_the_whole(case):
    build, given, whole = CASES[case]
    torch.manual_seed(0)
    model = build().double().eval()
    target = torch.randint(3, 7, (2, 6))
    step, state, last, stop, padding = begin(model, given, 6)
    assert stop == (() if is_language_model(model) else (END,))
    assert padding == PAD
    if stop:
        assert last.tolist() == [START, START]
    steps = []
    for token in target.unbind(1):
        logits, state = step(state, last)
        steps.append(logits)
        last = token
    torch.testing.assert_close(torch.stack(steps, 1), whole(model, given, target))


@pytest.mark.parametrize("case", CASES)
def test_a_search_is_a_beam_in_evaluation_mode(case):
    build, given, _ = CASES[case]
    torch.manual_seed(0)
    model = build().double()
    found = search(model, given, 5, num_beams=3, length_power=0.5)
    assert model.training
    step, state, start, stop, _ = begin(model.eval(), given, 5)
    by_hand = beam_search(step, state, start, end=stop, num_beams=3, max_length=5, length_power=0.5)
    for ours, theirs in zip(found, by_hand, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_what_is_given_becomes_a_batch():
    model = GPT(7, 12, 8, 1, 2)
    for prompt in ([4, 5], (4, 5), torch.tensor([4, 5], dtype=torch.int32)):
        (tokens,), is_batch = read("generate", model, prompt)
        assert (tokens.tolist(), tokens.dtype, is_batch) == ([[4, 5]], torch.long, False)
    (tokens,), is_batch = read("generate", model, TOKENS)
    assert torch.equal(tokens, TOKENS)
    assert is_batch
    (source, lengths), is_batch = read("generate", Seq2Seq(7, 7), (TOKENS[0], torch.tensor(3)))
    assert (source.shape, lengths.tolist(), is_batch) == ((1, 4), [3], False)
