"""One position at a time gives what the whole model gives, and steps aside for those who look on."""

import pytest
import torch
from torch import nn

from gradatim.decoding import generate
from gradatim.decoding.single_position import SinglePosition
from gradatim.models import GPT
from gradatim.models.gpt import POSITIONS


@pytest.mark.parametrize("positions", POSITIONS)
def test_equals_the_whole_sequence(positions):
    torch.manual_seed(0)
    model = GPT(9, 12, 8, 3, 2, dropout=0.3, positions=positions).double().eval()
    for parameter in model.parameters():  # norms and biases too: none may be forgotten
        nn.init.normal_(parameter, std=0.4)
    tokens, caches = torch.randint(9, (4, 12)), model.new_caches(4)
    with torch.inference_mode():
        model.features(tokens[:, :3], caches=caches)
        single = SinglePosition(model)
        found = torch.stack([single(tokens[:, t], caches) for t in range(3, 12)], dim=1)
        torch.testing.assert_close(found, model.features(tokens)[:, 3:])


def test_is_used_by_generation(monkeypatch):
    model, calls = GPT(9, 12, 8, 1, 2), []
    whole = SinglePosition.__call__
    monkeypatch.setattr(SinglePosition, "__call__", lambda *given: calls.append(1) or whole(*given))
    generate(model, [1, 2], 5)
    assert len(calls) == 4  # the prompt is read as a whole


def test_hooks_and_observers_see_every_token():
    model, seen = GPT(9, 12, 8, 1, 2), []
    handle = model.blocks.register_forward_hook(lambda *given: seen.append(1))
    assert not SinglePosition.fits(model)
    generate(model, [1, 2], 5)
    assert len(seen) == 5
    handle.remove()
    assert SinglePosition.fits(model)
    model.blocks.blocks[0].attention.observer = seen.append
    assert not SinglePosition.fits(model)


class Doubled(nn.Linear):
    def forward(self, x):
        return 2 * super().forward(x)


def test_an_exchanged_part_is_used():
    torch.manual_seed(0)
    model = GPT(9, 12, 8, 1, 2)
    model.blocks.blocks[0].feed_forward.narrow = Doubled(32, 8)
    assert not SinglePosition.fits(model)
    tokens = generate(model, [1, 2], 8, temperature=0.0)
    assert torch.equal(tokens, generate(model, [1, 2], 8, temperature=0.0, use_cache=False))
