import math

import pytest
import torch

from gradatim.decoding import beam_search, generate
from gradatim.errors import InvalidValue
from gradatim.losses import token_cross_entropy
from gradatim.models import RecurrentLanguageModel
from gradatim.optim import build_optimizer


@pytest.fixture
def model():
    torch.manual_seed(0)
    return RecurrentLanguageModel(7, dim=5, hidden_dim=6, num_layers=2).double()


def test_a_prediction_sees_only_the_past(model):
    tokens = torch.randint(7, (2, 8))
    changed = tokens.clone()
    changed[:, 5:] = (changed[:, 5:] + 1) % 7
    assert torch.equal(model(tokens)[0][:, :5], model(changed)[0][:, :5])


def test_pieces_with_the_state_passed_on_equal_the_whole(model):
    tokens = torch.randint(7, (2, 9))
    whole, last = model(tokens)
    first, state = model(tokens[:, :4])
    second, state = model(tokens[:, 4:], state=state)
    assert torch.allclose(torch.cat([first, second], 1), whole)
    assert all(torch.allclose(a, b) for a, b in zip(state, last, strict=True))


def test_steps_equal_the_whole(model):
    tokens = torch.randint(7, (3, 5))
    whole = model(tokens)[0]
    state = None
    for t in range(5):
        logits, state = model.step(state, tokens[:, t])
        assert torch.allclose(logits, whole[:, t])


def test_greedy_continuation_follows_the_largest_logit(model):
    prompt = torch.randint(7, (2, 4))
    text = generate(model, prompt, 5, temperature=0.0)
    assert torch.equal(text[:, :4], prompt)
    logits = model(text)[0]
    assert torch.equal(text[:, 4:], logits[:, 3:-1].argmax(-1))
    one = generate(model, prompt[:, :1], 2, temperature=0.0)
    assert torch.equal(one[:, 1], model(prompt[:, :1])[0][:, 0].argmax(-1))
    state = model.step(None, prompt[:, 0])[1]
    beam = beam_search(model.step, state, prompt[:, 1], num_beams=3, max_length=4)
    assert beam.tokens.shape == (2, 3, 4)


def test_an_alternating_text_costs_nothing():
    torch.manual_seed(0)
    model = RecurrentLanguageModel(2, dim=4, hidden_dim=8, cell="elman")
    tokens = torch.arange(21).remainder(2).repeat(4, 1)
    optimizer = build_optimizer("adam", model, lr=0.03)
    for _ in range(60):
        loss = token_cross_entropy(model(tokens[:, :-1])[0], tokens[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() / math.log(2) < 0.1
    assert generate(model, [0], 4, temperature=0.0).tolist() == [0, 1, 0, 1, 0]


def test_an_empty_prompt_is_refused(model):
    with pytest.raises(InvalidValue, match=r"prompt must hold at least one token, got none"):
        generate(model, torch.zeros(1, 0, dtype=torch.long), 3)
