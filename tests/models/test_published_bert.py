"""Weights as they are published: every tensor in its place, and sentences for files that are wrong."""

import json
import re

import pytest
import torch
from safetensors.torch import load_file, save_file

from gradatim.data import WordPieceTokenizer
from gradatim.errors import Unavailable
from gradatim.models import BERT, SentenceEncoder, load_bert, mean_vector, published_minilm
from gradatim.models.published_bert import published_names

CONFIG = {
    "model_type": "bert", "hidden_act": "gelu", "vocab_size": 60, "max_position_embeddings": 24,
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40,
    "type_vocab_size": 2, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
    "layer_norm_eps": 1e-12,
}  # fmt: skip


def publish(folder, seed=0, **changes):
    """A folder with random weights under the published names."""
    generator = torch.Generator().manual_seed(seed)
    model = BERT(60, 24, 16, 2, 4, hidden_dim=40)
    tensors = {}
    for name, parts in published_names(2).items():
        value = torch.randn(model.state_dict()[name].shape, generator=generator) * 0.3
        tensors |= dict(zip(parts, (p.clone() for p in value.chunk(len(parts))), strict=True))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG | changes))
    save_file(tensors, folder / "model.safetensors")
    return folder


def test_equals_the_other_library(tmp_path):
    transformers = pytest.importorskip("transformers")
    folder = publish(tmp_path / "bert")
    theirs = transformers.BertModel(transformers.BertConfig(**CONFIG))
    theirs.load_state_dict(load_file(folder / "model.safetensors"))
    theirs, ours = theirs.double().eval(), load_bert(folder).double()
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(60, (5, 17), generator=generator)
    segments = torch.randint(2, (5, 17), generator=generator)
    lengths = torch.tensor([17, 3, 9, 1, 12])
    mask = (torch.arange(17) < lengths[:, None]).long()
    with torch.no_grad():
        expected = theirs(tokens, attention_mask=mask, token_type_ids=segments)
        hidden = ours(tokens, lengths, segments)
    torch.testing.assert_close(hidden[mask.bool()], expected.last_hidden_state[mask.bool()])
    torch.testing.assert_close(ours.pool(hidden), expected.pooler_output)


def test_every_tensor_of_the_network_comes_from_the_file(tmp_path):
    folder = publish(tmp_path / "bert")
    model = load_bert(folder)
    assert not model.training
    assert set(published_names(2)) == set(model.state_dict())
    published = load_file(folder / "model.safetensors")
    for name, parts in published_names(2).items():
        expected = torch.cat([published[part] for part in parts])
        assert torch.equal(model.state_dict()[name], expected)


def test_a_prefix_and_half_precision_and_heads_are_read(tmp_path):
    folder = publish(tmp_path / "bert")
    tensors = load_file(folder / "model.safetensors")
    halves = {f"bert.{name}": tensor.half() for name, tensor in tensors.items()}
    save_file(halves | {"cls.bias": torch.ones(3)}, folder / "model.safetensors")
    weight = load_bert(folder).embedding.weight
    assert weight.dtype == torch.float32
    assert torch.equal(weight, tensors["embeddings.word_embeddings.weight"].half().float())


class TestWrongFiles:
    def test_wrong_shapes_are_listed_by_name(self, tmp_path):
        folder = publish(tmp_path / "bert", vocab_size=61, hidden_size=16)
        message = "got embeddings.word_embeddings.weight (60, 16) for (61, 16). Is it another network's file?"
        with pytest.raises(ValueError, match=re.escape(message)):
            load_bert(folder)

    def test_another_network(self, tmp_path):
        folder = publish(tmp_path / "bert")
        save_file({"layer.weight": torch.ones(2)}, folder / "model.safetensors")
        with pytest.raises(ValueError, match=r"embeddings\.word_embeddings\.weight missing for"):
            load_bert(folder)
        with pytest.raises(ValueError, match=r"and 34 more\. Is it another network's file"):
            load_bert(folder)

    def test_a_file_that_was_cut_off(self, tmp_path):
        folder = publish(tmp_path / "bert")
        path = folder / "model.safetensors"
        for size in (0, 5, 300, path.stat().st_size - 1):
            path.write_bytes(path.read_bytes()[:size])
            with pytest.raises(ValueError, match="is cut off, damaged or no safetensors file"):
                load_bert(folder)
            publish(folder)

    def test_no_file_or_no_description(self, tmp_path):
        with pytest.raises(Unavailable, match=r"config\.json' cannot be read: No such file"):
            load_bert(tmp_path / "nowhere")
        folder = publish(tmp_path / "bert")
        (folder / "model.safetensors").unlink()
        with pytest.raises(Unavailable, match=r"model\.safetensors' cannot be read"):
            load_bert(folder)
        publish(folder, hidden_act="relu")
        with pytest.raises(
            ValueError,
            match="must describe a BERT with GELU, got model_type='bert', hidden_act='relu'",
        ):
            load_bert(folder)
        (folder / "config.json").write_text(
            json.dumps({"model_type": "bert", "hidden_act": "gelu"})
        )
        with pytest.raises(ValueError, match="must hold 'vocab_size', and does not"):
            load_bert(folder)
        (folder / "config.json").write_text("[1")
        with pytest.raises(ValueError, match="must be a JSON object"):
            load_bert(folder)

    def test_nothing_in_the_cache(self, tmp_path, monkeypatch):
        monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
        message = (
            "published_minilm: minilm is not in the cache yet. Run 'gradatim data get minilm' once."
        )
        with pytest.raises(Unavailable, match=re.escape(message)):
            published_minilm()


class TestSentences:
    tokenizer = WordPieceTokenizer.train("one two three four five", vocab_size=60)

    def encoder(self, **arguments):
        torch.manual_seed(0)
        return SentenceEncoder(BERT(60, 48, 16, 2, 4), self.tokenizer, **arguments)

    def test_equals_one_text_at_a_time(self):
        encoder = self.encoder(max_length=24)
        texts = ["one", "two three " * 9, "", "four five one", "one " * 60]
        vectors = encoder.encode(texts)
        for vector, text in zip(vectors, texts, strict=True):
            ids = [2, *self.tokenizer.encode(text)[:22], 3]
            with torch.no_grad():
                mean = encoder.model(torch.tensor([ids]))[0].mean(0)
            torch.testing.assert_close(vector, mean / mean.norm())
        assert encoder.encode([]).shape == (0, 16)

    def test_bits_do_not_depend_on_the_other_texts(self):
        encoder = self.encoder(max_length=48)
        texts = [" ".join(["one two"] * n) for n in range(30)]
        together = encoder.encode(texts)
        assert torch.equal(torch.cat([encoder.encode([text]) for text in texts]), together)

    def test_a_mean_by_hand(self):
        hidden = torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [9.0, 9.0]]])
        assert mean_vector(hidden, torch.tensor([2, 1])).tolist() == [[2.0, 3.0], [5.0, 6.0]]

    def test_refuses_by_message(self):
        with pytest.raises(
            ValueError, match="max_length must be from 2 to the model's context, 48, got 49"
        ):
            self.encoder(max_length=49)
        with pytest.raises(TypeError, match="texts must be a list of texts, got one text"):
            self.encoder(max_length=8).encode("one")
