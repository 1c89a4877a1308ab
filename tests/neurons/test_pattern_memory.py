"""What memories of patterns share: growing, saving, refusing."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.neurons import DenseMemory, ModernHopfield

PATTERNS = torch.tensor([[1.0, -1, 1, 1, -1, 1], [-1, -1, 1, -1, 1, 1], [1, 1, 1, -1, -1, -1]])


@pytest.mark.parametrize("build", [DenseMemory, ModernHopfield])
def test_storing_appends_and_saving_keeps(build):
    memory = build(6)
    memory.store(PATTERNS[0])
    memory.store(PATTERNS[1:])
    assert torch.equal(memory.patterns, PATTERNS)
    other = build(6)
    other.load_state_dict(memory.state_dict())
    probe = torch.tensor([1.0, -1, 1, 1, -1, -1])
    assert torch.equal(other(probe), memory(probe))
    assert torch.equal(memory(probe), memory.recall(probe).states)


@pytest.mark.parametrize("build", [DenseMemory, ModernHopfield])
def test_bad_input_is_refused(build):
    name = build.__name__
    with pytest.raises(InvalidValue, match=f"{name}: n must be at least 1, got 0"):
        build(0)
    with pytest.raises(
        InvalidValue, match=f"{name}.recall: patterns must be stored first, got none"
    ):
        build(6).recall(PATTERNS)
    with pytest.raises(InvalidValue, match=rf"{name}.store: patterns must have shape \(4,\) or"):
        build(4).store(PATTERNS)
    memory = build(6)
    memory.store(PATTERNS)
    with pytest.raises(
        InvalidValue, match=rf"{name}.energy: states must have shape \(6,\) or \(B, 6\)"
    ):
        memory.energy(torch.ones(5))
