"""Every schedule against its formula and worked numbers, restarts against a loop, compositions against their parts."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidType, InvalidValue
from gradatim.optim import SCHEDULES, build_schedule, schedules
from gradatim.training import Trainer

FORMULAS = {
    "constant": lambda t, T: 1.0,
    "linear": lambda t, T: 1 - t / T,
    "cosine": lambda t, T: (1 + math.cos(math.pi * t / T)) / 2,
    "step": lambda t, T: 0.5 ** (t // 10),
    "exponential": lambda t, T: math.exp(-0.1 * t),
    "inverse_time": lambda t, T: 1 / (1 + 0.1 * t),
    "cosine_restarts": lambda t, T: (1 + math.cos(math.pi * (t % 10) / 10)) / 2,
    "warm_up": lambda t, T: t if t < 1 else (1 + math.cos(math.pi * (t - 1) / (T - 1))) / 2,
}


def test_every_schedule_has_its_formula_here():
    assert set(FORMULAS) == set(SCHEDULES)


@pytest.mark.parametrize("name", FORMULAS)
@settings(max_examples=30, deadline=None)
@given(length=st.floats(2, 100), part=st.floats(0, 1))
def test_formula(name, length, part):
    t = part * length
    assert build_schedule(name)(t, length) == pytest.approx(FORMULAS[name](t, length), abs=1e-12)


def test_worked_numbers():
    cosine, step = schedules.cosine(), schedules.step(drop=0.5, every=10)
    assert [cosine(t, 30) for t in (0, 15, 30)] == pytest.approx([1, 0.5, 0], abs=1e-15)
    assert [step(t, 30) for t in (0, 9.99, 10, 25)] == [1, 1, 0.5, 0.25]
    assert schedules.exponential(rate=0.5)(2, 9) == pytest.approx(math.exp(-1))
    assert schedules.inverse_time(rate=0.5)(2, 9) == 0.5
    assert schedules.cosine(floor=0.2)(30, 30) == pytest.approx(0.2)
    assert schedules.linear(floor=0.2)(15, 30) == pytest.approx(0.6)


@settings(max_examples=100, deadline=None)
@given(period=st.floats(0.5, 20), multiplier=st.sampled_from([1, 1.5, 2, 3]), part=st.floats(0, 1))
def test_restarts_equal_a_walk_through_the_cycles(period, multiplier, part):
    t = 300 * part
    start, length = 0.0, period
    while t >= start + length:
        start, length = start + length, length * multiplier
    expected = (1 + math.cos(math.pi * (t - start) / length)) / 2
    found = schedules.cosine_restarts(period=period, multiplier=multiplier)(t, 300)
    # a restart is a jump: rounding may put t on its other side
    is_at_a_jump = min(t - start, start + length - t) < 1e-9 * (1 + t)
    assert found == pytest.approx(expected, abs=1e-9) or is_at_a_jump


def test_restarts_equal_pytorch():
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    theirs = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=3, T_mult=2)
    ours = schedules.cosine_restarts(period=3, multiplier=2)
    for t in range(25):
        theirs.step(t)
        assert ours(t, 25) == pytest.approx(optimizer.param_groups[0]["lr"], abs=1e-12)


def test_sequence_gives_each_part_its_own_clock():
    whole = schedules.sequence((4, schedules.linear()), (6, schedules.cosine()), schedules.linear())
    assert whole(1, 20) == pytest.approx(0.75)
    assert whole(4, 20) == pytest.approx(1.0)
    assert whole(7, 20) == pytest.approx(0.5)
    assert whole(15, 20) == pytest.approx(0.5)
    assert whole(20, 20) == pytest.approx(0.0)


def test_a_sequence_of_one_is_that_schedule():
    one = schedules.sequence(schedules.cosine())
    assert [one(t, 9) for t in (0, 3, 9)] == [schedules.cosine()(t, 9) for t in (0, 3, 9)]


def test_a_sequence_longer_than_the_run_is_cut_off():
    whole = schedules.sequence((10, schedules.linear()), schedules.cosine())
    assert whole(5, 5) == pytest.approx(0.5)
    assert whole(10, 5) == pytest.approx(1.0)


def test_product():
    both = schedules.product(schedules.cosine(), schedules.step(drop=0.1, every=5))
    assert both(5, 10) == pytest.approx(0.05)
    assert schedules.product()(3, 4) == 1


def test_warm_up_then_anything():
    rate = schedules.warm_up(epochs=4, then=schedules.step(drop=0.5, every=2))
    assert [rate(t, 20) for t in (0, 1, 4, 6.5)] == [0, 0.25, 1, 0.5]


def test_trainer_follows_a_composition():
    X = torch.randn(8, 1)
    schedule = schedules.sequence((2, schedules.constant()), schedules.constant(0.1))
    trainer = Trainer(torch.nn.Linear(1, 1), "mse", "sgd", lr=0.5, epochs=4, schedule=schedule)
    assert trainer.fit((X, X))["lr"] == pytest.approx([0.5, 0.5, 0.05, 0.05])


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: schedules.step(every=0), InvalidValue, "step: every must be more than 0 epochs"),
        (lambda: schedules.warm_up(epochs=0), InvalidValue, "warm_up: epochs must be more than 0"),
        (
            lambda: schedules.cosine_restarts(period=0),
            InvalidValue,
            "cosine_restarts: period must be more than 0 epochs, got 0",
        ),
        (
            lambda: schedules.cosine_restarts(multiplier=0.5),
            InvalidValue,
            "cosine_restarts: multiplier must be at least 1, got 0.5",
        ),
        (schedules.sequence, InvalidType, "sequence: parts must be pairs"),
        (
            lambda: schedules.sequence((3, schedules.cosine())),
            InvalidType,
            "and, last, a schedule for the rest",
        ),
        (
            lambda: schedules.sequence(schedules.cosine(), schedules.cosine()),
            InvalidType,
            "sequence: parts must be pairs",
        ),
        (
            lambda: schedules.sequence((0, schedules.cosine()), schedules.cosine()),
            InvalidValue,
            "sequence: epochs must be more than 0, got 0",
        ),
        (lambda: schedules.product("cosine"), InvalidType, "product: schedules must be functions"),
        (lambda: build_schedule("cosin"), InvalidValue, "schedule must be one of cosine, "),
        (lambda: build_schedule(3), InvalidType, "schedule must be a name or a function"),
    ],
)
def test_refuses(build, error, message):
    with pytest.raises(error, match=message):
        build()
