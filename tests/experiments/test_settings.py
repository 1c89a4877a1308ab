from dataclasses import dataclass, replace
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidType, InvalidValue
from gradatim.experiments._settings import check_changes, override


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    lr: float = 0.1
    name: str = "mlp"
    bias: bool = True
    sizes: tuple[int, ...] = (2, 1)
    span: tuple[float, float] = (0.0, 1.0)
    plain: tuple = (1.5,)
    norm: str | None = None
    clip: float | None = None
    mode: Literal["min", "max"] = "min"


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("seed", "7", 7),
        ("seed", "-1", -1),
        ("lr", "1e-3", 0.001),
        ("lr", "2", 2.0),
        ("name", "a=b", "a=b"),
        ("bias", "no", False),
        ("bias", "TRUE", True),
        ("sizes", "64, 32,10", (64, 32, 10)),
        ("sizes", "(4,)", (4,)),
        ("sizes", "", ()),
        ("span", "-1,2.5", (-1.0, 2.5)),
        ("plain", "0.5,2", (0.5, 2.0)),
        ("norm", "batch", "batch"),
        ("norm", "None", None),
        ("clip", "none", None),
        ("clip", "5", 5.0),
        ("mode", "max", "max"),
    ],
)
def test_text_is_parsed_by_the_type_of_the_field(key, text, value):
    result = getattr(override("xor", Settings(), {key: text}), key)
    assert result == value
    assert type(result) is type(value)


@given(st.integers(), st.floats(allow_nan=False), st.lists(st.integers(), max_size=4))
@settings(max_examples=50, deadline=None)
def test_what_python_prints_is_read_back(seed, lr, sizes):
    words = {"seed": str(seed), "lr": repr(lr), "sizes": str(tuple(sizes))}
    assert override("xor", Settings(), words) == Settings(seed=seed, lr=lr, sizes=tuple(sizes))


def test_dashes_are_underscores_and_the_rest_stays():
    @dataclass(frozen=True)
    class Two:
        batch_size: int = 1
        seed: int = 3

    assert override("xor", Two(), {"batch-size": "8"}) == Two(batch_size=8, seed=3)


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("seed", "1.5", r"xor: seed must be an integer, got '1.5'. Try seed=0."),
        ("lr", "fast", r"xor: lr must be a number, got 'fast'. Try lr=0.1."),
        ("bias", "maybe", r"xor: bias must be true or false, got 'maybe'. Try bias=true."),
        ("sizes", "2,x", r"sizes must be values separated by commas, each an integer, got '2,x'. Try sizes=2,1."),
        ("span", "1", r"span must be 2 values separated by commas, got '1'. Try span=0.0,1.0."),
        ("clip", "x", r"clip must be a number or none, got 'x'. Try clip=none."),
        ("mode", "mean", r"mode must be one of min, max, got 'mean'. Try mode=min."),
        ("sed", "1", r"xor: setting must be one of seed, .* got 'sed'. Try 'seed'."),
    ],
)  # fmt: skip
def test_mistakes_are_explained(key, text, message):
    with pytest.raises(InvalidValue, match=message):
        override("xor", Settings(), {key: text})


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("lr", float("nan"), r"xor: lr must be finite, got nan."),
        ("span", (0.0, float("inf")), r"xor: span must be finite, got inf."),
        ("sizes", (2, 0), r"xor: sizes must be from 1 to 1,000,000,000, got 0. Try sizes=2,1."),
        ("sizes", (10**12, 1), r"xor: sizes must be from 1 to"),
    ],
)
def test_changes_that_no_experiment_can_mean_are_refused(key, value, message):
    with pytest.raises(InvalidValue, match=message):
        check_changes("xor", Settings(), replace(Settings(), **{key: value}))


@given(st.integers(0, 2**32 - 1), st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=20, deadline=None)
def test_other_changes_pass(seed, lr):
    check_changes("xor", Settings(), Settings(seed=seed, lr=lr, norm="batch", clip=None))


def test_a_field_of_another_type_is_refused():
    @dataclass(frozen=True)
    class Odd:
        table: dict = None

    with pytest.raises(InvalidType, match=r"a field must be int, float, str, bool or tuple, got"):
        override("xor", Odd(), {"table": "1"})
