"""Made-up words as sound files, and the coefficients by which machines heard them for decades."""

import io
import wave

import numpy as np
from scipy.fft import dct
from scipy.signal import lfilter

RATE = 8000  # samples a second
FORMANTS = {"i": (270, 2290), "e": (530, 1840), "a": (730, 1090), "o": (570, 840), "u": (300, 870)}
WORDS = ("iau", "uai", "eo", "oe", "aie", "eia")
FRAME, HOP, FILTERS, KEPT = 200, 100, 20, 13


def speak(word: str, rng: np.random.Generator) -> np.ndarray:
    """A word by a new voice: pulses of its pitch through two resonances that glide from vowel to vowel."""
    pitch, tract = rng.uniform(90, 250), rng.uniform(0.85, 1.15)
    lengths = (rng.uniform(0.07, 0.16, len(word)) * RATE).astype(int)
    centres = np.cumsum(lengths) - lengths / 2
    time = np.arange(lengths.sum())
    phase = np.cumsum(pitch * (1 + 0.1 * np.sin(time / 900 + rng.uniform(0, 6)))) / RATE
    sound = np.diff(np.floor(phase), prepend=0.0) + 0.02 * rng.normal(size=len(time))
    for formant in range(2):
        path = np.interp(time, centres, [FORMANTS[vowel][formant] * tract for vowel in word])
        sound = _resonate(sound, path, 60 + 40 * formant)
    return 0.5 * sound / np.abs(sound).max() + 0.01 * rng.normal(size=len(sound))


def _resonate(sound: np.ndarray, path: np.ndarray, width: float) -> np.ndarray:
    """Two poles at a frequency that changes every hundredth of a second."""
    radius, state, parts = np.exp(-np.pi * width / RATE), np.zeros(2), []
    for start in range(0, len(sound), 80):
        a = [1.0, -2 * radius * np.cos(2 * np.pi * path[start] / RATE), radius**2]
        part, state = lfilter([1.0], a, sound[start : start + 80], zi=state)
        parts.append(part)
    return np.concatenate(parts)


def write_wav(sound: np.ndarray) -> bytes:
    """A sound in [-1, 1] as the bytes of a WAV file, 16 bits a sample."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
    return buffer.getvalue()


def read_wav(content: bytes) -> np.ndarray:
    """The samples of a WAV file of 16 bits, in [-1, 1]."""
    with wave.open(io.BytesIO(content)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767


def mel_filters() -> np.ndarray:
    """Triangles that overlap by half, evenly spaced on the mel scale 2595 log10(1 + f / 700), ``(FILTERS, FRAME // 2 + 1)``."""
    mels = np.linspace(0, 2595 * np.log10(1 + RATE / 2 / 700), FILTERS + 2)
    edges = 700 * (10 ** (mels / 2595) - 1)
    frequencies = np.linspace(0, RATE / 2, FRAME // 2 + 1)
    rise = (frequencies - edges[:-2, None]) / np.diff(edges)[:-1, None]
    fall = (edges[2:, None] - frequencies) / np.diff(edges)[1:, None]
    return np.clip(np.minimum(rise, fall), 0, None)


def mel_energies(sound: np.ndarray) -> np.ndarray:
    """Logarithm of the power in every mel band, a row for each frame of 25 ms, ``(T, FILTERS)``."""
    frames = np.lib.stride_tricks.sliding_window_view(sound, FRAME)[::HOP] * np.hamming(FRAME)
    power = np.abs(np.fft.rfft(frames)) ** 2
    return np.log(power @ mel_filters().T + 1e-10)


def cepstra(sound: np.ndarray) -> np.ndarray:
    """Mel-frequency cepstral coefficients: the cosine transform of the bands' logarithms, ``(T, KEPT)``."""
    return dct(mel_energies(sound), norm="ortho", axis=1)[:, :KEPT]
