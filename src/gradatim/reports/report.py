"""What an experiment found: claims with verdicts, tables, figures and words, for page, file and terminal."""

import io
import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidType, InvalidValue, Unavailable
from gradatim.files import own_document, probe_folder, refuse, report_files, write_files
from gradatim.hashing import json_bytes
from gradatim.reports.html import FIGURE_DPI, report_page
from gradatim.reports.limits import Limits
from gradatim.reports.memory import peak_memory_bytes
from gradatim.reports.sections import Claim, Code, Picture, Section, Table, Text
from gradatim.reports.terminal import show_report
from gradatim.reports.values import Value, json_value, plain_value
from gradatim.versions import versions
from gradatim.wording import shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console

_log = logging.getLogger(__name__)


@dataclass
class Report:
    """Claims, tables, figures and words, in the order they were added; claims come first.

    Args:
        title: Heading of the report.
        summary: What was found, in a sentence.
        settings: The settings of the run, by name.
        seconds: How long the run took.

    Example:
        >>> report = Report(title="XOR", summary="A hidden layer is needed.")
        >>> report.claim("a linear model fails", 0.5, "accuracy", at_most=0.75)
        >>> report.table("Accuracy", columns=["model", "accuracy"], rows=[["linear", 0.5], ["MLP", 1.0]])
        >>> report.holds
        True
    """

    title: str
    summary: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    claims: list[Claim] = field(default_factory=list, init=False)
    sections: list[Section] = field(default_factory=list, init=False, repr=False)
    left_out: list[str] = field(
        default_factory=list, init=False, repr=False
    )  # figures and parts, each with its reason

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(claim.holds for claim in self.claims)

    def claim(
        self,
        name: str,
        measured: object,
        expected: str = "",
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        above: float | None = None,
        below: float | None = None,
        near: tuple[float, float] | None = None,
        equals: Value = None,
        holds: object = None,
    ) -> None:
        r"""Add a claim: the limits that the measured value must keep make the words and the verdict.

        A claim that no limit can state says in words what was ``expected``, and whether it ``holds``. NaN
        keeps no limit and bears out nothing.

        Args:
            name: What is claimed.
            measured: The value measured, a number or a string.
            expected: Words for the limits, which stand at ``{}``, or else at the end: ``"accuracy"``,
                ``"{} %"``. Beside ``holds``, all that was expected.
            at_least: Claim ``measured`` :math:`\ge` this.
            at_most: Claim ``measured`` :math:`\le` this; several limits must be kept together.
            above: Claim ``measured`` :math:`>` this.
            below: Claim ``measured`` :math:`<` this.
            near: A value and a tolerance; claim that ``measured`` differs from the value by less.
            equals: Claim that ``measured`` is this number or string.
            holds: The verdict, in the place of limits.

        Example:
            >>> report = Report(title="XOR")
            >>> report.claim("an MLP learns", 0.98, "accuracy", at_least=0.95)
            >>> report.claim("its loss falls", "3, 2, 1", "at every step", holds=True)
            >>> [(claim.expected, claim.holds) for claim in report.claims]
            [('accuracy ≥ 0.95', True), ('at every step', True)]
        """
        limits = Limits(at_least, at_most, above, below, near, equals)
        value = plain_value("Report.claim", "measured", measured)
        if (holds is None) != bool(limits.given):
            raise InvalidValue(
                "Report.claim: limits must be given, or holds= in their place, "
                f"got {'both' if limits.given else 'neither'} in {name!r}."
            )
        if holds is None:
            holds = limits.hold(value)
            place = expected if "{}" in expected else f"{expected} {{}}".lstrip()
            expected = place.replace("{}", limits.words())
        self.claims.append(Claim(name, expected, value, bool(holds) and value == value))

    def text(self, text: str) -> None:
        """Add paragraphs, separated by blank lines."""
        self.sections.append(Text(text))

    def table(
        self, title: str, *, columns: Sequence[str], rows: Sequence[Sequence[object]]
    ) -> None:
        """Add a table; each row has one value for each column."""
        if not columns:
            raise InvalidValue(
                f"Report.table: columns must name at least one, got none in {title!r}."
            )
        cells = []
        for row in rows:
            if len(row) != len(columns):
                raise InvalidValue(
                    f"Report.table: rows must have {len(columns)} values each, one per column, "
                    f"got {len(row)} in {title!r}."
                )
            cells.append([plain_value("Report.table", "rows", value) for value in row])
        self.sections.append(Table(title, [str(column) for column in columns], cells))

    def figure(self, name: str, figure: "Figure", *, caption: str = "") -> None:
        """Add a Matplotlib figure; ``name`` becomes the file ``<name>.png``."""
        if not re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", name):
            raise InvalidValue(
                f"Report.figure: name must be lower-case words joined by dashes, got {name!r}. "
                "Try 'learning-curves'."
            )
        if name in (other.name for other in self.pictures):
            raise InvalidValue(
                f"Report.figure: name must be new in this report, got {name!r} twice."
            )
        if not hasattr(figure, "savefig"):
            raise InvalidType(
                f"Report.figure: figure must be a Matplotlib Figure, got {type(figure).__name__}."
            )
        self.sections.append(Picture(name, figure, caption))

    @contextmanager
    def attempt(self, part: str) -> Iterator[None]:
        """Leave ``part`` out, and say so in its place, if anything goes wrong while it is made.

        What was added before the error stays. Interruptions pass, and so do files that cannot be had; the traceback goes to
        the log.

        Args:
            part: Name of what is added, for the sentence.

        Example:
            >>> report = Report(title="XOR")
            >>> with report.attempt("the learning curve"):
            ...     report.text("It falls.")
            >>> report.left_out
            []
        """
        try:
            yield
        except Unavailable:
            raise
        except Exception as error:  # whatever it is, the rest of the report is worth keeping
            self.text(self._leave_out(f"Of the report, {part} could not be made", error))

    def _leave_out(self, failure: str, error: Exception) -> str:
        """Note what is left out and why, and return the sentence that stands in its place."""
        reason = shorten(" ".join(f"{type(error).__name__}: {error}".split()), 200)
        sentence = f"{failure} and is left out ({reason})."
        _log.warning(sentence, exc_info=error)
        self.left_out.append(sentence)
        return sentence

    def code(self, language: str, source: str) -> None:
        """Add a block of source text."""
        self.sections.append(Code(language, source))

    @property
    def pictures(self) -> list[Picture]:
        """The figures, in order."""
        return [section for section in self.sections if isinstance(section, Picture)]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, as ``report.json`` holds it."""
        tables = [s for s in self.sections if isinstance(s, Table)]
        return json_value(
            {
                "title": self.title,
                "summary": self.summary,
                "holds": self.holds,
                "claims": [vars(claim) for claim in self.claims],
                "tables": [vars(table) for table in tables],
                "texts": [s.text for s in self.sections if isinstance(s, Text)],
                "figures": [{"file": f"{p.name}.png", "caption": p.caption} for p in self.pictures],
                "code": [vars(s) for s in self.sections if isinstance(s, Code)],
                "settings": self.settings,
                "seconds": self.seconds,
                "peak_memory_bytes": peak_memory_bytes(),
                "versions": versions(),
                "cpu_count": os.cpu_count(),
            }
        )

    def files(self) -> dict[str, bytes]:
        """The contents of ``report.html``, ``report.json`` and the figures, by name."""
        images = self._draw()
        data = self.to_dict()
        files = {f"{name}.png": image for name, image in images.items()}
        files["report.json"] = json_bytes(data) + b"\n"
        files["report.html"] = report_page(self, images, data["versions"]).encode()
        return files

    def _draw(self) -> dict[str, bytes]:
        """The figures as PNG, by name; one that cannot be drawn is left out, and a sentence stands in its place."""
        images = {}
        for place, section in enumerate(self.sections):
            if isinstance(section, Picture):
                try:
                    images[section.name] = _png(section.figure)
                except Exception as error:  # as in attempt
                    failure = f"The figure {section.name} could not be drawn"
                    self.sections[place] = Text(self._leave_out(failure, error))
        return images

    def write(self, folder: str | Path) -> Path:
        """Write :meth:`files` into ``folder``; a reader or a crash never meets half a file.

        Returns:
            The path of ``report.html``.
        """
        try:
            return write_files(folder, self.files(), ours=report_files(folder)) / "report.html"
        except Unavailable as error:
            raise _unwritable(Path(folder), error) from error

    def show(self, console: "Console | None" = None) -> None:
        """Print verdicts, tables and words to a Rich console, or to standard output."""
        show_report(self, console)


def _png(figure: "Figure") -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=FIGURE_DPI, metadata={"Software": None})
    return buffer.getvalue()


def prepare_folder(folder: str | Path) -> Path:
    """Raise if no report can be written into ``folder``; it is made only when there is one."""
    place, ours = Path(folder), report_files(folder)
    for name in ("report.html", "report.json"):
        if os.path.lexists(place / name) and name not in ours:
            refuse(f"Report.write: folder must not hold a {name} of others", f"'{folder}'")
    if own_document(place / "model.json"):
        refuse("Report.write: folder must not be that of a model", f"'{folder}'")
    try:
        return probe_folder(folder)
    except OSError as error:
        raise _unwritable(Path(folder), error) from error


def _unwritable(folder: Path, error: OSError) -> Unavailable:
    cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
    return Unavailable(
        f"Report.write: folder must be writable, got '{folder}' ({cause.strerror or cause}). "
        "Choose another folder."
    )
