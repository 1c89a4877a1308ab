"""The pinned sizes agree with what the formats demand."""

import re

from gradatim.data import pins

TABLES = [pins.MNIST, pins.FASHION_MNIST, pins.CIFAR10, pins.ZIP_CODE, pins.SPAM]
TABLES += [pins.CIFAR10_RESNETS]
TABLES += [pins.TINY_SHAKESPEARE, pins.IMDB, pins.ISLP, pins.SPOKEN_DIGITS, pins.JAPANESE_VOWELS]
TABLES += [pins.TATOEBA_SPA, pins.AIRLINE, pins.SUNSPOTS, pins.CO2, pins.NILE]


def test_every_pin_is_a_hash_a_size_and_a_plain_name():
    for table in TABLES:
        assert len({member.name for member in table}) == len(table)
        for member in table:
            assert re.fullmatch(r"[0-9a-f]{64}", member.sha256)
            assert member.size > 0
            assert re.fullmatch(r"\w[\w.-]*", member.name)


def test_image_files_have_header_plus_pixels():
    for table in (pins.MNIST, pins.FASHION_MNIST):
        assert [member.size for member in table] == [
            16 + 60000 * 28 * 28,
            8 + 60000,
            16 + 10000 * 28 * 28,
            8 + 10000,
        ]
    assert {member.size for member in pins.CIFAR10[:6]} == {10000 * 32 * 32 * 3}


def test_label_lists_have_two_characters_per_label_and_one_bracket_more():
    assert [member.size for member in pins.CIFAR10[6:]] == [2 * 50000 + 1, 2 * 10000 + 1]
