"""A report as one HTML page that needs nothing but itself."""

import base64
import os
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from gradatim.reports.sections import Claim, Code, Picture, Section, Table, Text
from gradatim.reports.values import format_column, format_value, is_number
from gradatim.wording import visible

if TYPE_CHECKING:
    from gradatim.reports.report import Report

FIGURE_DPI = 160
STYLE = Path(__file__).with_name("report.css")


def report_page(report: "Report", images: Mapping[str, bytes], versions: Mapping[str, str]) -> str:
    """Compose the page.

    Args:
        report: What to show.
        images: PNG bytes of each figure, by name.
        versions: Versions to state at the foot.
    """
    parts = [f"<header><h1>{escape(report.title)}</h1>"]
    if report.summary:
        parts.append(f'<p class="summary">{_inline(report.summary)}</p>')
    parts.append("</header>")
    if report.claims:
        parts.append(_claims(report.claims))
    parts += [_section(section, images) for section in report.sections]
    parts.append(_foot(report, versions))
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(report.title)}</title>\n"
        f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>\n</head>\n"
        f"<body>\n<main>\n{chr(10).join(parts)}\n</main>\n</body>\n</html>\n"
    )
    return visible(page)


def _inline(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def _relation(text: str) -> str:
    return _inline(text.replace("<=", "≤").replace(">=", "≥"))


def _claims(claims: list[Claim]) -> str:
    count = sum(claim.holds for claim in claims)
    rows = [
        f'<li class="{"holds" if claim.holds else "fails"}">'
        f'<span class="verdict">{"✓ holds" if claim.holds else "✗ fails"}</span>'
        f'<span class="name">{_relation(claim.name)}</span>'
        f'<span class="measured">{_inline(format_value(claim.measured))}</span>'
        f'<span class="expected">expected {_relation(claim.expected)}</span></li>'
        for claim in claims
    ]
    heading = f"{count} of {len(claims)} claims hold" if len(claims) > 1 else "The claim"
    return (
        f'<section><h2>{heading}</h2>\n<ul class="claims">\n{chr(10).join(rows)}\n</ul></section>'
    )


def _section(section: Section, images: Mapping[str, bytes]) -> str:
    if isinstance(section, Text):
        paragraphs = [p for p in re.split(r"\n\s*\n", section.text.strip()) if p]
        return "\n".join(f"<p>{_inline(paragraph)}</p>" for paragraph in paragraphs)
    if isinstance(section, Table):
        return _table(section)
    if isinstance(section, Code):
        return (
            f'<pre class="{escape(section.language)}"><code>{escape(section.source)}</code></pre>'
        )
    return _picture(section, images[section.name])


def _table(table: Table) -> str:
    count = range(len(table.columns))
    right = [any(is_number(row[k]) for row in table.rows) for k in count]
    classes = [' class="number"' if numeric else "" for numeric in right]
    head = "".join(f"<th{classes[k]}>{_inline(table.columns[k])}</th>" for k in count)
    columns = [format_column([row[k] for row in table.rows]) for k in count]
    rows = [
        "<tr>" + "".join(f"<td{classes[k]}>{_inline(cells[k])}</td>" for k in count) + "</tr>"
        for cells in zip(*columns, strict=True)
    ]
    return (
        f'<section><h2>{_inline(table.title)}</h2>\n<div class="scroll" tabindex="0"><table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{chr(10).join(rows)}\n</tbody></table></div></section>"
    )


def _picture(picture: Picture, png: bytes) -> str:
    data = base64.b64encode(png).decode()
    caption = f"<figcaption>{_inline(picture.caption)}</figcaption>" if picture.caption else ""
    alternative = escape(picture.caption or picture.name)
    inches = int.from_bytes(png[16:20]) / FIGURE_DPI  # a PNG states its width there
    return (
        f'<figure id="{picture.name}"><div class="card"><img alt="{alternative}" '
        f'width="{96 * inches:.0f}" src="data:image/png;base64,{data}"></div>{caption}</figure>'
    )


def _foot(report: "Report", versions: Mapping[str, str]) -> str:
    parts = []
    if report.settings:
        rows = "".join(
            f"<dt>{escape(str(key))}</dt><dd>{escape(_setting(value))}</dd>"
            for key, value in report.settings.items()
        )
        parts.append(f"<details><summary>Settings</summary><dl>{rows}</dl></details>")
    facts = [
        f"{os.cpu_count()} × CPU",
        *(f"{name} {number}" for name, number in versions.items()),
    ]
    if report.seconds is not None:
        facts.insert(0, f"{format_value(float(report.seconds))} seconds")
    parts.append(f"<p>{escape(' · '.join(facts))}</p>")
    return f"<footer>{''.join(parts)}</footer>"


def _setting(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_setting(item) for item in value)
    return str(value)
