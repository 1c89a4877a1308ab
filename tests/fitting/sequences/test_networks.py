"""The networks: what is drawn, what stops them, and what they say of series of any length."""

import numpy as np
import pytest

from gradatim.data import waves
from gradatim.fitting.sequences.networks import (
    ARCHITECTURES,
    SequenceNetwork,
    SequenceSettings,
    build_network,
    draw_settings,
    fit_network,
    hold_out,
    relative_cost,
)
from gradatim.fitting.sequences.steps import Sequences


def drawn(count=60, seed=0):
    X, y = waves(count, noise=0.1, seed=seed)
    return Sequences(np.concatenate(list(X)).astype(np.float32), np.array([len(x) for x in X])), y


def test_draws_are_fixed_and_begin_with_every_architecture():
    assert {draw_settings(k, 0).architecture for k in range(4)} == set(ARCHITECTURES)
    assert draw_settings(9, 3) == draw_settings(9, 3) != draw_settings(9, 4)
    for k in range(30):
        assert relative_cost(draw_settings(k, 0), 100) > 0
    assert relative_cost(SequenceSettings(steps=512), 1000) == 2 * relative_cost(SequenceSettings(), 1000)  # fmt: skip


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_networks_learn_and_mates_change_no_bit(architecture):
    series, y = drawn()
    settings = SequenceSettings(architecture, hidden_dim=16, dropout=0.0)
    network, history = fit_network(series, y, 3, settings, 6, 0, stops=False)
    assert history["train_loss"][-1] < history["train_loss"][0]
    output = network.outputs(series)
    np.testing.assert_allclose(output.sum(1), 1.0)
    for k in (0, 7):
        np.testing.assert_array_equal(network.outputs(series.take(np.array([k]))), output[k : k + 1])  # fmt: skip
    again = SequenceNetwork.restore(*network.store())
    np.testing.assert_array_equal(again.outputs(series), output)


def test_series_longer_than_any_in_training_are_read_whole():
    series, y = drawn()
    network, _ = fit_network(series, y, 3, SequenceSettings(hidden_dim=8), 1, 0, stops=False)
    long = Sequences(np.concatenate([series.values[:100], series.values[:3]]), np.array([100, 3]))
    output = network.outputs(long)
    np.testing.assert_array_equal(output[1:], network.outputs(long.take(np.array([1]))))
    changed = Sequences(long.values.copy(), long.lengths)
    changed.values[99] += 5.0  # its last step counts
    assert (network.outputs(changed)[0] != output[0]).any()


def test_values_are_scaled_back():
    series, _ = drawn()
    target = 1000.0 + series.lengths
    network, _ = fit_network(series, target, 0, SequenceSettings(hidden_dim=8), 3, 0)
    assert np.abs(network.outputs(series) - target).mean() < 30


def test_long_series_are_averaged_before():
    series, y = drawn()
    network, _ = fit_network(series, y, 3, SequenceSettings(hidden_dim=8, steps=20), 1, 0, stops=False)  # fmt: skip
    assert (network.settings["size"], network.settings["length"]) == (3, 20)
    assert network.inputs(series).longest <= 20


def test_training_stops_where_series_held_out_stop_gaining():
    series, y = drawn(120)
    noise = np.random.default_rng(0).permutation(y)  # nothing to learn
    network, history = fit_network(series, noise, 3, SequenceSettings(hidden_dim=32), 60, 0)
    assert len(history["train_loss"]) < 60
    assert network.settings["epochs"] < 30


def test_whole_groups_are_held_out():
    y, groups = np.arange(200) % 2, np.arange(200) // 20
    rows, held = hold_out(y, 2, 0, groups)
    assert len(held)
    assert not set(groups[rows]) & set(groups[held])
    assert not len(hold_out(y, 2, 0, np.arange(200) // 100)[1])  # two groups cannot be split
    assert not len(hold_out(y[:30], 2, 0, None)[1])  # too few


def test_convolutions_reach_back_to_the_first_step():
    for length in (4, 50, 200):
        module = build_network(SequenceSettings(), 2, 3, length)
        assert module.encoder.tcn.receptive_field >= length
