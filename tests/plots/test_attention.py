"""Figures of attention show what they were given."""

import re

import numpy as np
import pytest
import torch
from torch import nn

from gradatim.data import CharacterTokenizer, WordPieceTokenizer
from gradatim.data.tokenizers.word_piece import SPECIALS
from gradatim.instruments import attention_maps
from gradatim.models import BERT, GPT, HybridViT, ViT
from gradatim.models.mlp_mixer import PatchTokens
from gradatim.nn import MultiHeadAttention
from gradatim.plots import attention_map
from gradatim.plots.attention import head_grid, image_heads, numbered_matrices

TOKENIZER = CharacterTokenizer.train("to be or\nnot")


def test_a_text_gives_a_panel_per_head_with_its_weights():
    model = GPT(TOKENIZER.vocab_size, 16, 8, 2, 4)
    figure = attention_map(model, "to be\n", tokenizer=TOKENIZER)
    ids = torch.tensor([TOKENIZER.encode("to be\n")])
    weights = torch.cat([maps[0] for maps in attention_maps(model, ids).values()])
    assert len(figure.axes) == 8
    for panel, expected in zip(figure.axes, weights, strict=True):
        np.testing.assert_allclose(panel.images[0].get_array(), expected)
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == list("to␣be⏎")
    assert figure.axes[5].get_title() == "layer 2, head 2"
    figure.draw_without_rendering()
    assert len(attention_map(model, ids[0]).axes) == 8


def test_an_image_gives_the_attention_that_its_patches_receive():
    model = nn.Sequential(PatchTokens(1, 2, 8), MultiHeadAttention(8, 2))
    image = torch.rand(1, 6, 6)
    figure = attention_map(model, image)
    [weights] = attention_maps(model, image[None]).values()
    shown = figure.axes[1].images[1].get_array()
    np.testing.assert_allclose(shown, weights[0, 1].mean(0).reshape(3, 3))
    with_class = torch.softmax(torch.randn(1, 10, 10), -1)
    shown = image_heads(image, {"layer": with_class}).axes[0].images[1].get_array()
    np.testing.assert_allclose(shown, with_class[0, 0, 1:].reshape(3, 3))


def test_standardized_images_are_shown_from_black_to_white():
    image = torch.tensor([[[-2.0, 0.0], [1.0, 2.0]]])
    shown = image_heads(image, {"layer": torch.full((1, 4, 4), 0.25)}).axes[0].images[0].get_array()
    np.testing.assert_allclose(shown, [[0.0, 0.5], [0.75, 1.0]])
    kept = image_heads(image / 4 + 0.5, {"layer": torch.full((1, 4, 4), 0.25)}).axes[0].images[0]
    np.testing.assert_allclose(kept.get_array(), image[0] / 4 + 0.5)


def test_numbers_are_written():
    figure = numbered_matrices({"a": [[1.5, -2]], "b": [[0.333]]}, columns=3)
    assert [t.get_text() for panel in figure.axes for t in panel.texts] == ["1.5", "-2", "0.33"]


def test_grids_take_other_keys():
    figure = head_grid({"x": np.ones((1, 2, 3)) / 3}, queries="ab", keys="xyz")
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == list("xyz")


def test_refuses_by_message():
    with pytest.raises(TypeError, match="tokenizer must be given with a text, got None"):
        attention_map(GPT(5, 8, 8, 1, 1), "to be")
    with pytest.raises(
        ValueError,
        match=re.escape(
            "must be of a square number of patches, with or without a class token, got 7"
        ),
    ):
        image_heads(torch.rand(1, 4, 4), {"x": torch.ones(1, 7, 7)})


def test_a_bert_reads_special_tokens_and_their_names_are_shown():
    tokenizer = WordPieceTokenizer([*SPECIALS, "un", "##able", "to"])
    model = BERT(tokenizer.vocab_size, 16, 8, 2, 4)
    figure = attention_map(model, "unable to", tokenizer=tokenizer)
    names = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert names == ["[CLS]", "un", "##able", "to", "[SEP]"]
    maps = attention_maps(model, torch.tensor([[2, 5, 6, 7, 3]]))
    last = list(maps.values())[-1][0, -1]
    np.testing.assert_allclose(figure.axes[-1].images[0].get_array(), last)
    figure.draw_without_rendering()


@pytest.mark.parametrize(
    "model", [ViT(12, 4, 3), HybridViT(12, 3, num_layers=4)], ids=["vit", "hybrid"]
)
def test_a_vision_transformer_shows_what_its_class_token_looks_at(model):
    image = torch.rand(1, 12, 12)
    figure = attention_map(model, image)
    assert len(figure.axes) == 16
    maps = list(attention_maps(model, image[None]).values())
    shown = figure.axes[5].images[1].get_array()
    np.testing.assert_allclose(shown, maps[1][0, 1, 0, 1:].reshape(3, 3))
    figure.draw_without_rendering()
