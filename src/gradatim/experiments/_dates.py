"""Dates as people write them, with the part of the text that each digit of the ISO form comes from."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

# Parts of a date: year, month, day; a piece of text without a part is None.
Pieces = list[tuple[str, str | None]]


class WrittenDate(NamedTuple):
    """A date in words, its ISO form, and for each character of the words the part it belongs to."""

    text: str
    iso: str
    parts: list[str | None]


def _day(day: date) -> tuple[str, str]:
    return str(day.day), "day"


def _month(day: date) -> tuple[str, str]:
    return MONTHS[day.month - 1], "month"


def _year(day: date) -> tuple[str, str]:
    return str(day.year), "year"


FORMATS: tuple[Callable[[date], Pieces], ...] = (
    lambda d: [_day(d), (" ", None), _month(d), (" ", None), _year(d)],
    lambda d: [_month(d), (" ", None), _day(d), (", ", None), _year(d)],
    lambda d: [_day(d), (". ", None), (_month(d)[0][:3], "month"), (" ", None), _year(d)],
    lambda d: [(f"{d.day:02d}", "day"), (".", None), (f"{d.month:02d}", "month"), (".", None), _year(d)],
    lambda d: [(WEEKDAYS[d.weekday()] + ", ", None), _day(d), (" ", None), _month(d), (" ", None), _year(d)],
    lambda d: [(_month(d)[0][:3], "month"), (" ", None), (f"{d.day:02d}", "day"), (" ", None), _year(d)],
    lambda d: [_year(d), (", ", None), _month(d), (" ", None), _day(d)],
)  # fmt: skip


def write_dates(count: int, seed: int) -> list[WrittenDate]:
    """Draw ``count`` days between 1900 and 2099, each in one of seven ways of writing."""
    rng = np.random.default_rng(seed)
    days = rng.integers(0, 73_049, count)
    styles = rng.integers(0, len(FORMATS), count)
    return [
        _write(date(1900, 1, 1) + timedelta(int(offset)), FORMATS[style])
        for offset, style in zip(days, styles, strict=True)
    ]


def _write(day: date, style: Callable[[date], Pieces]) -> WrittenDate:
    pieces = [(text.lower(), part) for text, part in style(day)]
    parts = [part for text, part in pieces for _ in text]
    return WrittenDate("".join(text for text, _ in pieces), day.isoformat(), parts)
