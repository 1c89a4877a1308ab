"""The doctor's catalogue: every code of its table with a whole program that has the fault, and the lines that mend it.

``python docs/doctor_codes.py`` writes ``docs/doctor_codes.md``; tests run both programs of every code.
"""

import difflib
import tomllib
from pathlib import Path
from typing import NamedTuple

from gradatim.doctor.codes import FAMILIES, Code, codes

HERE = Path(__file__).parent
PAGE = HERE / "doctor_codes.md"
KINDS = {
    "contract": "Never meant: said without a symptom.",
    "statistic": "Said only where it explains a symptom.",
    "note": "A note, never a warning.",
}
HEAD = """\
# What the doctor can find

Every code with what is wrong, what to change, and a whole program: with the lines marked `-` it has the fault and the
doctor names that code first; with those marked `+` in their place it is healthy. Tests run both. This page is made by
`python docs/doctor_codes.py`; `gradatim doctor --explain CODE` shows a code on the terminal. [The doctor](doctor.md)
"""


class Example(NamedTuple):
    """Two programs that differ in one fault."""

    failing: str
    repaired: str


def examples() -> dict[str, Example]:
    """The programs of every code."""
    table = tomllib.loads((HERE / "doctor_programs.toml").read_text(encoding="utf-8"))
    bases = table.pop("bases")
    return {name: _example(name, bases[entry["base"]], entry) for name, entry in table.items()}


def _example(name: str, base: str, entry: dict[str, list[list[str]]]) -> Example:
    repaired = _edit(name, base, entry.get("right", []))
    return Example(_edit(name, repaired, entry["wrong"]), repaired)


def _edit(name: str, text: str, edits: list[list[str]]) -> str:
    for old, new in edits:
        if text.count(old) != 1:
            raise ValueError(f"{name}: {old!r} must stand once, and stands {text.count(old)} times")
        text = text.replace(old, new)
    return text


def difference(example: Example) -> str:
    """The failing program with its repair, as a difference of whole files."""
    lines = difflib.unified_diff(
        example.failing.splitlines(), example.repaired.splitlines(), n=10**6, lineterm=""
    )
    return "\n".join(list(lines)[3:])


def _section(code: Code, example: Example) -> str:
    symptoms = ", ".join(f"`{name}`" for name in code.explains)
    may = f" May explain {symptoms}." if symptoms else ""
    return (
        f"### `{code.name}`\n\n{code.cause[:1].upper()}{code.cause[1:]}. **What to change:** {code.remedy}\n\n"
        f"{KINDS[code.kind]}{may}\n\n```diff\n{difference(example)}\n```\n"
    )


def page() -> str:
    """The whole page."""
    shown, parts = examples(), [HEAD]
    for family, title in FAMILIES.items():
        parts.append(f"## {title}\n")
        parts += [_section(c, shown[c.name]) for c in codes().values() if c.family == family]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
