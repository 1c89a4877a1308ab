"""GPT: another implementation, causality, tied weights, order."""

import math
import re

import pytest
import torch

from gradatim.losses import token_cross_entropy
from gradatim.models import GPT, describe, rebuild
from gradatim.models.gpt import POSITIONS
from gradatim.randomness import seeded
from gradatim.training import Trainer


def build(positions="learned", **arguments):
    return GPT(7, 12, 8, 2, 2, positions=positions, **arguments).double().eval()


def draw(*shape, seed=0):
    return torch.randint(7, shape, generator=torch.Generator().manual_seed(seed))


def reference(state, tokens, num_layers, num_heads):
    """GPT-2's forward pass from its weights, with plain matrix products."""
    h = state["embedding.weight"][tokens] + state["place.table"][: tokens.shape[1]]
    T, d = h.shape[1:]
    for layer in range(num_layers):
        part = {k.removeprefix(f"blocks.blocks.{layer}."): v for k, v in state.items()}
        a = norm(h, part["attention_shortcut.norm.weight"], part["attention_shortcut.norm.bias"])
        q, k, v = (a @ part["attention.project.weight"].T + part["attention.project.bias"]).split(
            d, -1
        )
        heads = []
        for i in range(num_heads):
            own = slice(i * d // num_heads, (i + 1) * d // num_heads)
            scores = q[..., own] @ k[..., own].transpose(1, 2) / math.sqrt(d // num_heads)
            scores = scores + torch.full((T, T), -torch.inf).double().triu(1)
            heads.append(scores.softmax(-1) @ v[..., own])
        joined = (
            torch.cat(heads, -1) @ part["attention.merge.weight"].T + part["attention.merge.bias"]
        )
        h = h + joined
        a = norm(
            h, part["feed_forward_shortcut.norm.weight"], part["feed_forward_shortcut.norm.bias"]
        )
        a = a @ part["feed_forward.widen.weight"].T + part["feed_forward.widen.bias"]
        a = 0.5 * a * (1 + torch.erf(a / math.sqrt(2)))
        h = h + a @ part["feed_forward.narrow.weight"].T + part["feed_forward.narrow.bias"]
    return (
        norm(h, state["blocks.norm.weight"], state["blocks.norm.bias"])
        @ state["embedding.weight"].T
    )


def norm(x, gain, shift):
    centred = x - x.mean(-1, keepdim=True)
    return gain * centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() + shift


def test_equals_plain_matrix_products():
    model, tokens = build(), draw(3, 9)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=torch.Generator().manual_seed(1))
    expected = reference(model.state_dict(), tokens, 2, 2)
    torch.testing.assert_close(model(tokens), expected)


@pytest.mark.parametrize("positions", POSITIONS)
def test_no_future_leaks(positions):
    model, tokens = build(positions), draw(2, 9)
    before = model(tokens)
    for t in range(8):
        other = tokens.clone()
        other[:, t + 1 :] = (other[:, t + 1 :] + 1) % 7
        assert torch.equal(model(other)[:, : t + 1], before[:, : t + 1])


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("num_layers", [1, 2])
def test_order_counts_only_with_positions_or_a_second_causal_layer(positions, num_layers):
    model = GPT(7, 12, 8, num_layers, 2, positions=positions).double()
    last = model(torch.tensor([[1, 2, 3, 4], [3, 1, 2, 4]]))[:, -1]
    is_blind = positions == "none" and num_layers == 1
    assert torch.allclose(last[0], last[1], rtol=1e-9, atol=0) == is_blind


def test_starts_at_uniform_odds_with_branches_that_do_not_grow_with_depth():
    with seeded(0):
        shallow, deep = GPT(65, 32, 64, 1, 4), GPT(65, 32, 64, 16, 4)
    tokens = torch.randint(65, (4, 32), generator=torch.Generator().manual_seed(0))
    loss = token_cross_entropy(deep(tokens), tokens.roll(1, 1)).item()
    assert loss == pytest.approx(math.log(65), abs=0.2)

    def size(model):
        h = model.place(model.embedding(tokens), 0)
        for block in model.blocks.blocks:
            h = block(h)
        return h.std().item()

    assert size(deep) / size(shallow) < 1.5


def test_weights_are_tied_and_all_are_reached():
    model = build()
    assert sum(p.shape == (7, 8) for p in model.parameters()) == 1
    model(draw(2, 12)).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


def test_gpt2_small_has_the_published_number_of_parameters():
    def count(V, c, d, L):
        return V * d + c * d + L * (12 * d**2 + 13 * d) + 2 * d

    for V, c, d, L in [(7, 12, 8, 2), (5, 3, 6, 1)]:
        assert sum(p.numel() for p in GPT(V, c, d, L, 2).parameters()) == count(V, c, d, L)
    assert count(50257, 1024, 768, 12) == 124_439_808  # Radford et al., 2019: 124 M


def test_learns_a_cycle_with_the_trainer():
    windows = torch.arange(7).repeat(30).unfold(0, 13, 3)  # (N, 13)
    model = GPT(7, 12, 16, 1, 2)
    trainer = Trainer(model, token_cross_entropy, lr=3e-3, epochs=30, batch_size=16, progress=False)
    history = trainer.fit((windows[:, :-1], windows[:, 1:]))
    assert history["train_loss"][-1] < 0.2
    logits = model(windows[:1, :-1])
    assert torch.equal(logits.argmax(-1), windows[:1, 1:])


def test_dropout_acts_in_training_only():
    model, tokens = build(dropout=0.5).train(), draw(2, 5)
    assert not torch.equal(model(tokens), model(tokens))
    assert torch.equal(model.eval()(tokens), model(tokens))


def test_describe_rebuilds_it():
    model = build("rotary", dropout=0.1)
    again = rebuild(describe(model)).double().eval()
    again.load_state_dict(model.state_dict())
    assert torch.equal(again(draw(2, 5)), model(draw(2, 5)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((7, 0, 8, 2, 2), "GPT: context must be at least 1, got 0."),
        (
            (7, 12, 9, 2, 2),
            "MultiHeadAttention: dim must be divisible by num_heads, got dim=9, num_heads=2.",
        ),
    ],
)
def test_refuses_by_message(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        GPT(*arguments)


@pytest.mark.parametrize("positions", POSITIONS)
def test_refuses_more_tokens_than_its_context(positions):
    with pytest.raises(ValueError, match="GPT: positions must lie below context=12, got 13 tokens"):
        build(positions)(draw(1, 13))
