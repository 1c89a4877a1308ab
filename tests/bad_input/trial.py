"""A trial: what lies in the folder, what is typed there, and how it must end.

Whatever the trial, the same laws hold: the exit code is the one stated; an error is one sentence on standard error, and
nothing else; no traceback, nothing "unexpected", no warning of another library; files that were there stay as they were;
nothing is left behind but what was asked for, and that is not empty; nothing is said of "1 rows".
"""

import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gradatim.cli import main

OUTPUTS = ("-o", "--output")
ONE_OF_MANY = r"(?<!of )(?<![\w.,])1 (training |test |different )?(rows|columns|images|texts|graphs|nodes|edges|sentences|words|steps|folds|settings|categories|classes|channels|pairs|tokens|files)\b"
DEFAULTS = ("runs", "predictions.csv")  # what commands write where no output is named


class Place(NamedTuple):
    """The working folder of a trial, and where trained models lie."""

    folder: Path
    shelf: Callable[[str], Path]

    def write(self, name: str, content: bytes) -> None:
        """Put a file there."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


Put = Callable[[Place], object]


@dataclass(frozen=True)
class Trial:
    """A row of a table.

    Args:
        what: What is wrong or odd; the name of the test.
        given: Puts what lies there.
        typed: The words after ``gradatim``.
        code: The exit code.
        says: Words that must appear: on standard error where it fails, else on either.
    """

    what: str
    given: tuple[Put, ...]
    typed: str
    code: int
    says: tuple[str, ...]


def trial(what: str, given: "Put | tuple[Put, ...]", typed: str, code: int, *says: str) -> Trial:
    """A row, as it is written in the tables."""
    return Trial(what, given if isinstance(given, tuple) else (given,), typed, code, says)


def attempt(row: Trial, place: Place, capsys) -> None:
    """Make the trial and check how it ended."""
    for put in row.given:
        put(place)
    before = snapshot(place.folder)
    capsys.readouterr()
    code = main(shlex.split(row.typed))
    said = capsys.readouterr()
    out, err = (" ".join(text.split()) for text in (said.out, said.err))
    told = f"exit code {code}, stderr {err!r}, stdout {out[-800:]!r}"
    assert code == row.code, told
    for text in ("Traceback", "gradatim: unexpected", "Warning", "\x1b"):
        assert text not in said.out + said.err, told
    found = re.search(ONE_OF_MANY, f"{out} {err}")
    assert found is None, f"{found[0]!r} is said: {told}"
    for words in row.says:
        assert words in (err if code else f"{out} {err}"), f"{words!r} is not said: {told}"
    if code:
        check_sentence(said.err, told)
        assert not said.out, told
    elif not row.typed.startswith(("predict", "generate", "sample")):
        assert not err, told
    check_files(row, code, before, snapshot(place.folder))


def check_sentence(err: str, told: str = "") -> None:
    """An error is one line; one of the parser's names its help on a second."""
    lines = err.splitlines()
    assert len(lines) == 1 or (len(lines) == 2 and lines[1].startswith("See 'gradatim")), told
    assert lines[0].endswith((".", "?")), told
    assert ": " in lines[0], told


def check_files(row: Trial, code: int, before: dict[str, object], after: dict[str, object]) -> None:
    """What was there is as it was, and what is new was asked for."""
    words = shlex.split(row.typed)
    asked = {words[k + 1] for k, word in enumerate(words) if word in OUTPUTS} | set(DEFAULTS)
    mine = {name for name in before if not any(_is_below(name, own) for own in asked)} | (
        set(before) if code else set()
    )
    changed = sorted(name for name in mine if after.get(name) != before[name])
    assert not changed, f"lost or changed: {changed}"
    new = set(after) - set(before)
    stray = sorted(n for n in new if code or not any(_is_below(n, own) for own in asked))
    assert not stray, f"left behind: {stray}"
    hollow = sorted(name for name in new if after[name] == b"")
    assert not hollow, f"empty: {hollow}"


def _is_below(name: str, folder: str) -> bool:
    return name == folder or name.startswith(f"{folder}/")


def snapshot(folder: Path) -> dict[str, object]:
    """Everything below a folder: contents of files, aims of links, kinds of the rest."""
    found: dict[str, object] = {}
    for at, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files:
            path = os.path.join(at, name)
            found[os.fsdecode(os.path.relpath(path, os.fsencode(folder)))] = _content(path)
    return found


def _content(path: bytes) -> object:
    if os.path.islink(path):
        return "link", os.readlink(path)
    if os.path.isfile(path):
        with open(path, "rb") as file:
            return file.read()
    return "folder" if os.path.isdir(path) else "other"
