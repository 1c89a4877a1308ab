"""Readers, on bytes made by hand."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.data.readers import (
    join_images,
    read_idx,
    read_labels,
    read_numbers,
    read_pixels,
    read_reviews,
    read_table,
    read_zip_code,
)


@settings(max_examples=30, deadline=None)
@given(shape=st.lists(st.integers(0, 5), min_size=1, max_size=3), seed=st.integers(0, 99))
def test_idx_reads_what_struct_wrote(shape, seed):
    values = np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)
    header = struct.pack(f">BBBB{len(shape)}I", 0, 0, 8, len(shape), *shape)
    assert np.array_equal(read_idx(header + values.tobytes()), values)


def test_idx_of_another_type_is_refused():
    with pytest.raises(ValueError, match=r"starts with 0 0 8, got \[0, 0, 13\]"):
        read_idx(bytes([0, 0, 13, 1, 0, 0, 0, 0]))


def test_idx_too_short_is_refused():
    with pytest.raises(ValueError, match="reshape"):
        read_idx(bytes([0, 0, 8, 1, 0, 0, 0, 3, 1, 2]))


def test_pixels_put_the_colour_first():
    content = bytes(10 * i + 3 * j + c for i in range(2) for j in range(2) for c in range(3))
    images = read_pixels(content, size=2)
    assert images.shape == (1, 3, 2, 2)
    for i in range(2):
        for j in range(2):
            assert images[0, :, i, j].tolist() == [10 * i + 3 * j + c for c in range(3)]


def test_labels_are_whole_numbers():
    labels = read_labels(b"[3,8,0]")
    assert labels.tolist() == [3, 8, 0]
    assert labels.dtype == np.int64


def test_zip_code_shifts_ink_and_keeps_rows():
    inks = [["0"] * 255 + ["2"], ["1.5", *["1"] * 255]]
    lines = [
        "10 256",
        *(f"{label} {' '.join(ink)}" for label, ink in zip("64", inks, strict=True)),
        "-1",
    ]
    X, y = read_zip_code("\r\n".join(lines).encode())
    assert X.shape == (2, 1, 16, 16)
    assert X.dtype == np.float32
    assert y.tolist() == [6, 4]
    assert X[0, 0, 15, 15] == 1
    assert X[0].min() == -1
    assert X[1, 0, 0, 0] == 0.5
    assert X[1, 0, 0, 1] == 0


def test_zip_code_with_a_missing_pixel_is_refused():
    with pytest.raises(ValueError, match="reshape"):
        read_zip_code(b"10 256\n6 " + b"0 " * 255 + b"\n-1\n")


def test_numbers_of_one_row_stay_a_matrix():
    assert read_numbers(b"1,2,3\n").tolist() == [[1.0, 2.0, 3.0]]


def test_reviews_keep_every_character():
    texts = ["Good — “really”", 'bad "film"\n', ""]
    content = json.dumps([{"t": text, "s": i % 2} for i, text in enumerate(texts)]).encode()
    X, y = read_reviews(content)
    assert X.tolist() == texts
    assert X.dtype == object
    assert y.tolist() == [0, 1, 0]


def test_table_keeps_names_kinds_and_gaps():
    table = read_table(b'"a","b"\n1,x\n,y\n')
    assert list(table) == ["a", "b"]
    assert table["a"].isna().tolist() == [False, True]
    assert table["b"].tolist() == ["x", "y"]


def test_images_join_in_order_as_floats_or_bytes():
    first = np.arange(8, dtype=np.uint8).reshape(2, 1, 2, 2)
    second = np.array([255, 0, 51, 102], np.uint8).reshape(1, 1, 2, 2)
    raw = join_images([first, second], raw=True)
    assert raw.dtype == np.uint8
    assert raw.tolist() == first.tolist() + second.tolist()
    scaled = join_images(iter([first, second]), raw=False)
    assert scaled.dtype == np.float32
    assert np.array_equal(scaled, (raw.astype(np.float64) / 255).astype(np.float32))
    assert scaled[2].ravel()[:2].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("raw", [True, False])
def test_joined_images_lie_row_by_row_and_may_be_written(raw):
    images = join_images([read_pixels(bytes(range(24)), size=2)], raw)
    assert images.flags.c_contiguous
    assert images.flags.writeable
