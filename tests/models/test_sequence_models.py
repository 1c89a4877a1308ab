"""What every sequence model must do, whatever it is for."""

import json

import pytest
import torch

from gradatim.decoding import generate, translate
from gradatim.models import build, describe, rebuild
from gradatim.nn import CELLS

TOKENS = torch.tensor([[4, 5, 6], [6, 4, 2]])
LENGTHS = torch.tensor([3, 2])
VECTORS = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0))
CASES = {
    "sequence_classifier": ({"input_dim": 4, "output_dim": 3, "dropout": 0.5}, (VECTORS, LENGTHS)),
    "sequence_tagger": ({"input_dim": 4, "output_dim": 3, "vocab_size": 9}, (TOKENS, LENGTHS)),
    "sequence_generator": ({"input_dim": 4, "vocab_size": 9}, (VECTORS[:, 0], TOKENS)),
    "seq2seq": ({"source_vocab_size": 9, "target_vocab_size": 8, "cell": "lstm"}, (TOKENS, LENGTHS, TOKENS)),
    "ctc": ({"input_dim": 4, "num_labels": 3}, (VECTORS, LENGTHS)),
    "forecaster": ({"input_dim": 4, "horizon": 2, "quantiles": (0.1, 0.5, 0.9)}, (VECTORS, LENGTHS)),
    "recurrent_language_model": ({"vocab_size": 9, "num_layers": 2}, (TOKENS, LENGTHS)),
}  # fmt: skip


def outputs(model, inputs):
    result = model(*inputs)
    return result[0] if isinstance(result, tuple) else result


@pytest.mark.parametrize("name", CASES)
def test_a_file_rebuilds_it_with_the_same_outputs(name):
    arguments, inputs = CASES[name]
    model = build(name, **arguments).eval()
    other = rebuild(json.loads(json.dumps(describe(model)))).eval()
    other.load_state_dict(model.state_dict())
    assert torch.equal(outputs(model, inputs), outputs(other, inputs))


@pytest.mark.parametrize("name", CASES)
def test_equal_seeds_give_equal_weights_and_dtype_holds(name):
    arguments, inputs = CASES[name]
    weights = []
    for _ in range(2):
        torch.manual_seed(0)
        weights.append(build(name, **arguments).state_dict())
    assert all(torch.equal(weights[0][key], weights[1][key]) for key in weights[0])
    double = [x.double() if x.is_floating_point() else x for x in inputs]
    assert outputs(build(name, **arguments).double(), double).dtype == torch.float64


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("cell", CELLS)
def test_every_cell_will_do(name, cell):
    """Whatever state a cell has: two parts, complex numbers, an odd width."""
    arguments, inputs = CASES[name]
    model = build(name, **{**arguments, "cell": cell, "hidden_dim": 5})
    result = outputs(model, inputs)
    assert result.isfinite().all()
    result.sum().backward()
    assert all(p.grad is not None for p in model.parameters())


@pytest.mark.parametrize("cell", ["lstm", "lru"])
def test_writers_start_from_what_they_are_given(cell):
    """Two vectors, two beginnings, and a beam that reorders states of any kind."""
    torch.manual_seed(0)
    generator = build("sequence_generator", input_dim=4, vocab_size=9, cell=cell, num_layers=2)
    logits = generator(VECTORS[:, 0], TOKENS[:1].expand(2, -1))
    assert not torch.allclose(logits[0], logits[1])
    assert generate(generator, VECTORS[:, 0], 3, num_beams=2).shape == (2, 3)
    translator = build("seq2seq", source_vocab_size=9, target_vocab_size=8, cell=cell)
    assert translate(translator, TOKENS, LENGTHS, num_beams=2, max_length=3).tokens.shape[:2] == (2, 2)  # fmt: skip
