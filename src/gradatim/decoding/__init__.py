"""Decoding: let models write, by chance, greedily or in search of the most probable."""

from gradatim.decoding.beam import Hypotheses, beam_search, select_rows
from gradatim.decoding.ctc import best_path, collapse_path, prefix_beam_search, transcribe
from gradatim.decoding.generation import generate, stream
from gradatim.decoding.nucleus import keep_top_p
from gradatim.decoding.sampling import draw_tokens, sample
from gradatim.decoding.translation import translate

__all__ = [
    "Hypotheses",
    "beam_search",
    "best_path",
    "collapse_path",
    "draw_tokens",
    "generate",
    "keep_top_p",
    "prefix_beam_search",
    "sample",
    "select_rows",
    "stream",
    "transcribe",
    "translate",
]
