"""Experiments: one file per claim of the field, each checked with numbers."""

from gradatim.experiments._discovery import load, names, summary
from gradatim.experiments._running import run

__all__ = ["load", "names", "run", "summary"]
