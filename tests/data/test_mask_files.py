"""Masks of every kind: what was read is what is written, and all masks of a folder agree."""

import io

import numpy as np
import pytest
from PIL import Image

from gradatim.data.mask_files import (
    MOST_COLOURS,
    Mask,
    MaskStyle,
    convert_values,
    find_kind,
    read_mask,
)
from gradatim.errors import InvalidValue

CODES = np.array([[0, 1, 2], [2, 1, 0]])
STYLES = [
    MaskStyle("grey", (0, 1, 2)),
    MaskStyle("grey", (0, 128, 255)),
    MaskStyle("grey", (0, 300, 65535)),
    MaskStyle("palette", (0, 1, 255), ((0, 0, 0), (128, 0, 0), (224, 224, 192))),
    MaskStyle("colour", (0x000000, 0x00FF00, 0x123456)),
    MaskStyle("alpha", (0x00000000, 0xFF0000FF, 0x00FF0080)),
]


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_what_is_written_is_what_is_read(style, tmp_path):
    path = tmp_path / "m.png"
    path.write_bytes(style.write(CODES))
    mask = read_mask(path)
    assert mask.kind == style.kind
    assert mask.found() == sorted(style.values)
    np.testing.assert_array_equal(mask.values, np.array(style.values, dtype=np.uint32)[CODES])
    if style.kind == "palette":
        assert mask.colours == dict(zip(style.values, style.colours, strict=True))
    with Image.open(path) as image:
        np.testing.assert_array_equal(np.asarray(image), style.paint(CODES))
    assert MaskStyle.from_facts(style.facts()) == style
    assert len(set(style.names())) == 3


def test_names():
    assert STYLES[0].names() == ["0", "1", "2"]
    assert STYLES[3].names() == ["0 black", "1 maroon", "255 #e0e0c0"]
    assert STYLES[4].names() == ["black", "lime", "#123456"]
    assert STYLES[5].names() == ["transparent", "red", "#00ff0080"]


def save(path, image, **how):
    image.save(path, **how)
    return read_mask(path)


def test_bits_are_black_and_white_and_grey_alpha_is_seen(tmp_path):
    bits = Image.fromarray(np.array([[True, False]]))
    assert bits.mode == "1"
    assert save(tmp_path / "1.png", bits).found() == [0, 255]
    grey = Image.fromarray(np.array([[[7, 255], [9, 0]]], np.uint8))
    assert grey.mode == "LA"
    assert save(tmp_path / "2.png", grey).found() == [0, 0x070707FF]
    opaque = Image.new("RGBA", (2, 2), (1, 2, 3, 255))
    assert save(tmp_path / "3.png", opaque).kind == "colour"


def test_noise_of_a_lossy_format_is_noticed(tmp_path):
    rng = np.random.default_rng(0)
    shape = (rng.random((64, 64)) < 0.5).astype(np.uint8) * 255
    mask = save(tmp_path / "m.jpg", Image.fromarray(shape))
    assert mask.is_lossy
    assert len(mask.found()) > MOST_COLOURS
    noise = Image.fromarray(rng.integers(0, 256, (64, 64, 3), dtype=np.uint8))
    assert len(save(tmp_path / "n.png", noise).found()) == MOST_COLOURS + 1


def test_faults(tmp_path):
    (tmp_path / "t.png").write_bytes(b"no picture")
    assert read_mask(tmp_path / "t.png") == "cannot be read"
    out = io.BytesIO()
    Image.new("F", (2, 2), 0.5).save(out, "TIFF")
    (tmp_path / "f.png").write_bytes(out.getvalue())
    assert read_mask(tmp_path / "f.png") == "has numbers with fractions, and must have whole ones"
    out = io.BytesIO()
    Image.new("I", (2, 2), 70_000).save(out, "TIFF")
    (tmp_path / "i.png").write_bytes(out.getvalue())
    assert "has values from 70000 to 70000" in read_mask(tmp_path / "i.png")


GREY = Mask("grey", np.array([[0, 255]], np.uint8), {}, False)
RED = Mask("palette", np.array([[0, 1]], np.uint8), {0: (0, 0, 0), 1: (255, 0, 0)}, False)
BLUE = Mask("palette", np.array([[1, 1]], np.uint8), {1: (0, 0, 255)}, False)
FLAG = Mask("colour", np.array([[0xFF0000, 0x00FF00]], np.uint32), {}, False)
GLASS = Mask("alpha", np.array([[0, 0xFF0000FF]], np.uint32), {}, False)


@pytest.mark.parametrize(
    ("masks", "kind"),
    [
        ((GREY, GREY), "grey"),
        ((RED, RED), "palette"),
        ((RED, BLUE), "colour"),
        ((GREY, RED), "colour"),
        ((FLAG, GLASS, RED), "alpha"),
    ],
)
def test_masks_that_differ_are_read_by_their_colours(masks, kind):
    assert find_kind(masks) == kind


def test_a_colour_is_the_same_in_every_kind():
    red = 0xFF0000
    assert convert_values(RED, "colour").tolist() == [[0, red]]
    assert convert_values(GREY, "colour").tolist() == [[0, 0xFFFFFF]]
    assert convert_values(RED, "alpha").tolist() == [[0xFF, red * 256 + 255]]
    assert convert_values(FLAG, "alpha")[0, 0] == red * 256 + 255
    assert convert_values(GLASS, "alpha") is GLASS.values
    deep = Mask("grey", np.array([[0, 999]], np.uint16), {}, False)
    with pytest.raises(InvalidValue, match="masks must all be of one kind, got 16-bit numbers"):
        convert_values(deep, "colour")


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "sculpture"}, {"values": []}, {"values": [0, 0, 1]}, {"values": [0, 1, 256]}, {"values": [0, 1, True]},
        {"values": list(range(51))}, {"values": None}, {"values": [0, 1, -1]}, {"values": [0, 1, "2"]}, {"colours": []},
        {"colours": [[0, 0, 0]] * 2}, {"colours": [[0, 0, 300]] * 3}, {"colours": [[0, 0]] * 3}, {"colours": [[0, 0, 0.5]] * 3},
    ],
    ids=str,
)  # fmt: skip
def test_styles_that_no_folder_of_ours_has_are_refused(change):
    with pytest.raises(InvalidValue, match=r"^load_model: .*\.$"):
        MaskStyle.from_facts(STYLES[3].facts() | change)
