"""Features made by hand see what they are meant to see."""

import numpy as np
import pytest

from gradatim.experiments.evaluation._hand_made_features import (
    BINS,
    VisualWords,
    edge_histograms,
    hog,
)
from gradatim.experiments.evaluation._spoken_words import (
    FORMANTS,
    FRAME,
    RATE,
    cepstra,
    mel_energies,
    mel_filters,
    read_wav,
    speak,
    write_wav,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("angle", [0.0, 22.5, 45.0, 60.0, 170.0])
def test_a_slope_has_one_direction(angle):
    y, x = np.mgrid[:8, :8] / 8
    plane = np.cos(np.radians(angle)) * x + np.sin(np.radians(angle)) * y
    cells = edge_histograms(plane[None], 4)[0]
    place = angle / 180 * BINS
    expected = np.zeros(BINS)
    expected[int(place) % BINS] += 16 / 8 * (1 - place % 1)  # 16 pixels of slope 1/8
    expected[(int(place) + 1) % BINS] += 16 / 8 * (place % 1)
    np.testing.assert_allclose(cells, np.broadcast_to(expected, cells.shape), atol=1e-9)


def test_edges_lose_nothing_and_forget_light():
    images = RNG.random((3, 12, 12))
    down, right = np.gradient(images, axis=(1, 2))
    total = edge_histograms(images, 4).sum((1, 2, 3))
    np.testing.assert_allclose(total, np.hypot(down, right).sum((1, 2)))
    np.testing.assert_allclose(hog(images + 5, 4), hog(images, 4), atol=1e-9)


def test_words_are_counted_in_quarters():
    images = RNG.random((6, 24, 24))
    counts = VisualWords(5, 4, 0).fit(images).transform(images) ** 2
    assert counts.shape == (6, 20)
    np.testing.assert_allclose(counts.reshape(6, 4, 5).sum(2), [[9, 6, 6, 4]] * 6)  # 5 × 5 blocks


def test_a_sound_file_keeps_its_samples():
    sound = 0.9 * RNG.uniform(-1, 1, 500)
    np.testing.assert_allclose(read_wav(write_wav(sound)), sound, atol=1 / 32767)
    assert write_wav(sound)[:4] == b"RIFF"


def test_a_tone_is_in_the_band_of_its_frequency():
    filters = mel_filters()
    assert (filters >= 0).all()
    for frequency in (300, 1000, 2500):
        tone = np.sin(2 * np.pi * frequency / RATE * np.arange(2000))
        heard = mel_energies(tone).mean(0).argmax()
        assert filters[heard, round(frequency * FRAME / RATE)] > 0.4


def test_the_first_coefficient_is_the_mean_of_the_logarithms():
    sound = speak("iau", RNG)
    expected = mel_energies(sound).sum(1) / np.sqrt(20)
    np.testing.assert_allclose(cepstra(sound)[:, 0], expected)


def test_vowels_have_their_formants():
    sound = np.concatenate([speak("ii", np.random.default_rng(k)) for k in range(6)])
    power = np.abs(np.fft.rfft(sound)) ** 2
    frequencies = np.fft.rfftfreq(len(sound), 1 / RATE)
    second = (frequencies > 1200) & (frequencies < 3500)
    peak = np.average(frequencies[second], weights=power[second])
    assert peak == pytest.approx(FORMANTS["i"][1], rel=0.2)
