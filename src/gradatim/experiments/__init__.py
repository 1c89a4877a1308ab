"""Experiments: one folder per chapter, one file per claim of the field, each checked with numbers."""

from gradatim.experiments._discovery import Entry, entries, load, names, summary
from gradatim.experiments._running import run

__all__ = ["Entry", "entries", "load", "names", "run", "summary"]
