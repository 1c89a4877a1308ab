"""Blocks that are compiled or computed again give the same numbers."""

import pytest
import torch
from torch import nn

from gradatim.models import GPT, MLP, ResNet
from gradatim.nn import Recurrent
from gradatim.training import Callback, Trainer
from gradatim.training.blocks import blocks_of

TOKENS = torch.randint(1, 9, (12, 7), generator=torch.Generator().manual_seed(0))


def gpt(**options):
    torch.manual_seed(1)
    model = GPT(9, context=7, dim=8, num_layers=3, num_heads=2, dropout=0.2).double()
    trainer = Trainer(model, epochs=2, batch_size=5, progress=False, **options)
    history = trainer.fit((TOKENS, TOKENS.roll(-1, 1)))
    return model, history["train_loss"]


def test_blocks_are_what_lists_hold():
    model, _ = gpt()
    assert len(blocks_of(model)) == 3
    assert blocks_of(MLP((3, 4, 2))) == []
    assert blocks_of(Recurrent("lstm", 2, 3, 2)) == []


class Kept(Callback):
    """Bytes that the forward pass keeps for the backward pass."""

    needs_autograd = True


def test_blocks_that_compute_again_give_the_same_numbers_with_dropout_and_keep_less():
    kept = []
    for is_wanted in (False, True):
        seen = {}
        with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.__setitem__(t.data_ptr(), t.numel()) or t, lambda t: t):  # noqa: B023  # fmt: skip
            model, losses = gpt(activation_checkpointing=is_wanted)
        kept.append((model.state_dict(), losses, sum(seen.values())))
    (plain, losses, much), (again, same, little) = kept
    assert losses == pytest.approx(same, rel=1e-12)
    for name, value in plain.items():
        torch.testing.assert_close(again[name], value, rtol=1e-9, atol=1e-12)
    assert little < 0.5 * much
    assert all("forward" not in vars(block) for block in blocks_of(model))


def test_blocks_are_compiled_while_training_runs_and_not_after(monkeypatch):
    calls = []

    def compile(self):
        self._compiled_call_impl = lambda *a, **k: (calls.append(type(self).__name__), self._call_impl(*a, **k))[1]  # fmt: skip

    _, losses = gpt()
    monkeypatch.setattr(nn.Module, "compile", compile)
    model, same = gpt(compile=True)
    assert losses == same
    assert len(calls) == 2 * 3 * 3  # epochs, batches, blocks
    assert all(block._compiled_call_impl is None for block in blocks_of(model))
    calls.clear()
    X = torch.randn(8, 3)
    history = Trainer(MLP((3, 4, 2)), epochs=1, compile=True, progress=False).fit(
        (X, X.argmax(1) % 2)
    )
    assert (calls, history.engine.name) == (["MLP"], "general")


def test_models_without_blocks_and_with_batch_normalization_are_refused():
    X = torch.randn(8, 3)
    with pytest.raises(
        ValueError, match=r"must come with a model of blocks, .* got MLP. Leave it out."
    ):
        Trainer(MLP((3, 4, 2)), activation_checkpointing=True).fit((X, X.argmax(1) % 2))
    images = torch.randn(4, 3, 8, 8)
    with pytest.raises(
        ValueError, match="blocks that may be computed twice, got batch normalization"
    ):
        Trainer(ResNet(num_classes=2), activation_checkpointing=True).fit(
            (images, torch.arange(4) % 2)
        )
