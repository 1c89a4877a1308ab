"""A described model with its weights comes back; one that is larger than its weights is never built."""

import random

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.models import GPT, MLP, ResidualMLP, Transformer, build, describe
from gradatim.models.restoring import TABLES, restore

MODELS = {
    "mlp": lambda: MLP((3, 4, 2), norm="batch"),
    "residual": lambda: ResidualMLP((3, 4, 2)),
    "gpt": lambda: GPT(5, 8, 8, 2, 2),
    "transformer": lambda: Transformer(6, 7, 8, dim=8, num_heads=2),
    "resnet": lambda: build("resnet20", num_classes=3),
    "lstm": lambda: build("recurrent_language_model", 5, dim=4, hidden_dim=4),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_was_described_comes_back_and_nobody_s_numbers_are_drawn(name):
    model = MODELS[name]()
    numpys = np.random.get_state
    before = torch.get_rng_state(), numpys()[1].copy(), random.getstate()
    again = restore("load", describe(model), model.state_dict())
    assert torch.equal(torch.get_rng_state(), before[0])
    assert np.array_equal(numpys()[1], before[1])
    assert random.getstate() == before[2]
    assert type(again) is type(model)
    for key, tensor in model.state_dict().items():
        assert torch.equal(again.state_dict()[key], tensor)
    assert {tensor.device.type for tensor in (*again.parameters(), *again.buffers())} == {"cpu"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dim": 2**16}, r"^load: weights must fit the model, got "),
        ({"num_layers": 10**6}, r"^load: the model must have the parts that its weights are for, and has more than [\d,]+\.$"),
        ({"num_layers": 10**12}, r"^load: numbers of the model must be at most 1,048,576, got 1000000000000\.$"),
        ({"vocab_size": -(10**12)}, r"^load: numbers of the model must be at most"),
    ],
)  # fmt: skip
def test_a_model_larger_than_its_weights_is_refused_at_once(change, message):
    model = MODELS["gpt"]()
    description = describe(model)
    description["arguments"] |= change
    with pytest.raises(InvalidValue, match=message):
        restore("load", description, model.state_dict())


def test_tables_that_no_file_holds_are_bounded():
    model = Transformer(6, 7, 8, dim=64, num_heads=2)
    description = describe(model)
    description["arguments"]["context"] = 2**20  # of a table of sines that is computed anew
    assert TABLES < 2**20 * 64 * 4
    with pytest.raises(InvalidValue, match=r"^load: the model must be no larger than its weights, and needs [\d,]+ bytes more\.$"):  # fmt: skip
        restore("load", description, model.state_dict())


def test_hooks_are_gone_afterwards():
    model = MLP((3, 2))
    for arguments in ({"sizes": [3, 2]}, {"sizes": [3, 10**5, 2]}):
        try:
            restore("load", {"name": "mlp", "arguments": arguments}, model.state_dict())
        except InvalidValue:
            continue
    for _ in range(3000):  # more parts than the small model may have
        torch.nn.Linear(1, 1)
