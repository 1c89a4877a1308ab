"""BERT: another implementation, padding, segments, order."""

import math
import re

import pytest
import torch

from gradatim.models import BERT, describe, rebuild


def build(**arguments):
    torch.manual_seed(0)
    model = BERT(11, 12, 8, 2, 2, **arguments).double().eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return model


def draw(*shape, high=11, seed=0):
    return torch.randint(high, shape, generator=torch.Generator().manual_seed(seed))


def norm(x, gain, shift):
    mean = sum(x) / len(x)
    variance = sum((v - mean) ** 2 for v in x) / len(x)
    return [
        g * (v - mean) / math.sqrt(variance + 1e-12) + b
        for v, g, b in zip(x, gain, shift, strict=True)
    ]


def linear(x, state, name):
    weight, bias = state[f"{name}.weight"].tolist(), state[f"{name}.bias"].tolist()
    return [
        sum(w * v for w, v in zip(row, x, strict=True)) + b
        for row, b in zip(weight, bias, strict=True)
    ]


def attend(rows, state, name, num_heads):
    d = len(rows[0])
    projected = [linear(row, state, f"{name}.project") for row in rows]
    out = []
    for query in projected:
        joined = []
        for head in range(num_heads):
            own = range(head * d // num_heads, (head + 1) * d // num_heads)
            scores = [
                sum(query[i] * k[d + i] for i in own) / math.sqrt(len(own)) for k in projected
            ]
            weights = [math.exp(s - max(scores)) for s in scores]
            joined += [
                sum(w * v[2 * d + i] for w, v in zip(weights, projected, strict=True))
                / sum(weights)
                for i in own
            ]
        out.append(linear(joined, state, f"{name}.merge"))
    return out


def reference(state, tokens, segments, num_layers, num_heads):
    """Devlin et al.'s encoder on one text, number by number."""

    def normed(row, name):
        return norm(row, state[f"{name}.weight"].tolist(), state[f"{name}.bias"].tolist())

    tables = [state[k].tolist() for k in ("embedding.weight", "place.table", "segment.weight")]
    rows = [
        normed(
            [a + b + c for a, b, c in zip(tables[0][x], tables[1][t], tables[2][s], strict=True)],
            "norm",
        )
        for t, (x, s) in enumerate(zip(tokens, segments, strict=True))
    ]
    for layer in range(num_layers):
        own = f"blocks.blocks.{layer}"
        mixed = attend(rows, state, f"{own}.attention", num_heads)
        rows = [
            normed([a + b for a, b in zip(x, m, strict=True)], f"{own}.attention_shortcut.norm")
            for x, m in zip(rows, mixed, strict=True)
        ]
        after = []
        for row in rows:
            hidden = linear(row, state, f"{own}.feed_forward.widen")
            hidden = [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in hidden]
            branch = linear(hidden, state, f"{own}.feed_forward.narrow")
            after.append(
                normed(
                    [a + b for a, b in zip(row, branch, strict=True)],
                    f"{own}.feed_forward_shortcut.norm",
                )
            )
        rows = after
    return rows


def test_equals_a_loop_over_numbers():
    model, tokens, segments = build(), draw(2, 5), draw(2, 5, high=2, seed=1)
    hidden = model(tokens, segments=segments)
    for text in range(2):
        expected = reference(
            model.state_dict(), tokens[text].tolist(), segments[text].tolist(), 2, 2
        )
        torch.testing.assert_close(hidden[text], torch.tensor(expected).double())
    first = [math.tanh(v) for v in linear(expected[0], model.state_dict(), "pooler")]
    torch.testing.assert_close(model.pool(hidden)[1], torch.tensor(first).double())


def test_padding_changes_nothing():
    model, tokens = build(), draw(3, 9)
    lengths = torch.tensor([4, 9, 6])
    hidden = model(tokens, lengths)
    for row, length in enumerate(lengths.tolist()):
        alone = model(tokens[row : row + 1, :length])[0]
        torch.testing.assert_close(hidden[row, :length], alone)
    other = tokens.clone()
    other[0, 4:] = 3
    torch.testing.assert_close(model(other, lengths)[0, :4], hidden[0, :4])


def test_every_token_sees_every_other_and_segments_count():
    model, tokens = build(), draw(1, 6)
    before = model(tokens)
    other = tokens.clone()
    other[0, 5] = (other[0, 5] + 1) % 11
    assert (model(other) - before)[0].abs().amax(1).min() > 1e-6
    torch.testing.assert_close(model(tokens, segments=torch.zeros_like(tokens)), before)
    assert not torch.allclose(model(tokens, segments=torch.ones_like(tokens)), before)


def test_is_rebuilt_from_its_description():
    model = BERT(11, 12, 8, 2, 2, hidden_dim=20, num_segments=3, dropout=0.2)
    again = rebuild(describe(model))
    assert {k: v.shape for k, v in again.state_dict().items()} == {
        k: v.shape for k, v in model.state_dict().items()
    }
    assert again.dropout == 0.2


def test_refuses_by_message():
    with pytest.raises(ValueError, match=re.escape("BERT: num_layers must be at least 1, got 0.")):
        BERT(11, 12, 8, 0, 2)
    with pytest.raises(
        ValueError, match="BERT: positions must lie below context=12, got 13 tokens"
    ):
        build()(draw(1, 13))
    with pytest.raises(ValueError, match="BERT: lengths must be from 0 to the padded length 4"):
        build()(draw(1, 4), torch.tensor([5]))
