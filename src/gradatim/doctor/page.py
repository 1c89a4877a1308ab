"""The verdict as one HTML page that needs nothing but itself."""

import linecache
import math
from html import escape
from typing import Any

from gradatim.doctor.codes import codes
from gradatim.doctor.showing import said, trial_title, verdict
from gradatim.reports.html import STYLE
from gradatim.wording import numbered, visible

WIDTH, HEIGHT, LEFT, BOTTOM = 680, 190, 58, 26
EXTRA = """
.finding { border: 1px solid var(--rule); border-left: 5px solid var(--bad); border-radius: 8px; padding: 1rem 1.2rem; margin: 1.2rem 0; background: var(--card); }
.finding.note { border-left-color: var(--rule); }
.finding h2 { margin: 0 0 .5rem; }
.finding pre { margin: .6rem 0; padding: .55rem .8rem; border-radius: 6px; background: var(--code); overflow-x: auto; font-size: .9rem; }
.finding .remedy { color: var(--good); font-weight: 600; }
.finding p { margin: .35rem 0; }
.dim { color: var(--muted); font-size: .9rem; }
svg.curve { width: 100%; height: auto; display: block; }
svg.curve path { fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; }
svg.curve line { stroke: var(--rule); }
svg.curve line.constant { stroke: var(--bad); stroke-dasharray: 5 4; }
svg.curve text { fill: var(--muted); font-size: 11px; }
.checks { columns: 3 12rem; list-style: none; padding: 0; font-size: .87rem; }
.checks .found { color: var(--bad); font-weight: 600; }
.checks .absent { color: var(--muted); }
"""


def record_page(record: dict[str, Any]) -> str:
    """Compose the page of a record.

    Args:
        record: As it is written to a file.
    """
    body = [
        f'<header><h1>{escape(verdict(record))}</h1><p class="summary">{escape(_told(record))}</p></header>',
        *(_finding(finding) for finding in record["findings"]),
        _curve(record),
        _symptoms(record),
        _trials(record),
        _checks(record),
        _foot(record),
    ]  # fmt: skip
    return visible(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" '
        'content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>Diagnosis of {escape(record['script'])}</title>\n<style>\n{STYLE.read_text(encoding='utf-8')}{EXTRA}"
        f"</style>\n</head>\n<body>\n<main>\n{chr(10).join(body)}\n</main>\n</body>\n</html>\n"
    )


def _told(record: dict[str, Any]) -> str:
    words = " ".join([record["script"], *record["arguments"]])
    stopped = f", stopped {record['stopped']}" if record["stopped"] else ""
    return f"{words}: {numbered(record['steps'], 'steps')} in {record['seconds']:.1f} s{stopped}"


def _finding(finding: dict[str, Any]) -> str:
    where, cause = finding["where"], finding["cause"]
    parts = [f'<section class="finding {finding["severity"]}"><h2>{escape(cause[:1].upper() + cause[1:])}</h2>']  # fmt: skip
    if where["line"]:
        text = linecache.getline(str(where["file"]), where["line"]).strip()
        layer = f" · layer <code>{escape(where['layer'])}</code>" if where["layer"] else ""
        parts.append(f"<p><code>{escape(str(where['file']))}:{where['line']}</code>{layer}</p>")
        if text:
            parts.append(f"<pre><code>{escape(text)}</code></pre>")
    elif where["layer"]:
        parts.append(f"<p>Layer <code>{escape(where['layer'])}</code></p>")
    parts.append(f'<p><span class="remedy">What to change</span> {escape(finding["remedy"])}</p>')
    if finding["trial"]:
        parts.append(f"<p><b>{trial_title(finding['trial'])}</b> {escape(finding['trial'])}</p>")
    sure = "" if finding["confidence"] is None else f" · right in {finding['confidence']:.0%} of our test programs"  # fmt: skip
    parts.append(f'<p class="dim">{finding["code"]} · {finding["severity"]}{sure}</p></section>')
    return "\n".join(parts)


def _curve(record: dict[str, Any]) -> str:
    steps, losses = record["series"]["step"], [float(x) for x in record["series"]["loss"]]
    points = [(s, x) for s, x in zip(steps, losses, strict=True) if math.isfinite(x)]
    if len(points) < 3:
        return ""
    constant = next((s["numbers"]["constant"] for s in record["symptoms"] if "constant" in s["numbers"]), None)  # fmt: skip
    values = sorted(x for _, x in points)
    low, high = values[0], values[int(0.99 * (len(values) - 1))]
    usual = max(values[len(values) // 2], points[0][1], float(constant or 0.0))
    high = min(high, 10 * usual) if usual > 0 else high  # a spike does not hide what is around it
    if constant is not None:
        low, high = min(low, float(constant)), max(high, float(constant))
    room = (high - low) * 0.06 or 1.0
    low, high, last = low - room, high + room, max(points[-1][0], 1)

    def at(step: float, value: float) -> str:
        x = LEFT + (WIDTH - LEFT - 8) * step / last
        y = 6 + (HEIGHT - BOTTOM - 6) * (1 - (min(max(value, low), high) - low) / (high - low))
        return f"{x:.1f},{y:.1f}"

    path = "M" + " L".join(at(s, x) for s, x in points)
    parts = [
        f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Training loss">'
    ]
    for k in range(4):
        value = low + (high - low) * k / 3
        x, y = at(0, value).split(",")
        parts.append(f'<line x1="{x}" x2="{WIDTH - 8}" y1="{y}" y2="{y}"/><text x="{LEFT - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{_label(value)}</text>')  # fmt: skip
    if constant is not None:
        y = at(0, float(constant)).split(",")[1]
        parts.append(f'<line class="constant" x1="{LEFT}" x2="{WIDTH - 8}" y1="{y}" y2="{y}"/><text x="{WIDTH - 10}" y="{float(y) - 5:.1f}" text-anchor="end">best constant prediction</text>')  # fmt: skip
    parts.append(f'<path d="{path}"/><text x="{LEFT}" y="{HEIGHT - 8}">step 0</text><text x="{WIDTH - 8}" y="{HEIGHT - 8}" text-anchor="end">step {last:,}</text></svg>')  # fmt: skip
    return f"<section><h2>Training loss</h2>{''.join(parts)}</section>"


def _label(value: float) -> str:
    """A number that fits beside the curve.

    >>> _label(1621.4), _label(3.7e13), _label(0.0512)
    ('1,621', '3.7e+13', '0.0512')
    """
    size = abs(value)
    return f"{value:,.0f}" if 1e3 <= size < 1e5 else f"{value:.{2 if size >= 1e5 else 3}g}"


def _symptoms(record: dict[str, Any]) -> str:
    if not record["symptoms"]:
        return ""
    rows = "".join(f"<li>{escape(said(symptom))}</li>" for symptom in record["symptoms"])
    return f"<section><h2>What was measured</h2><ul>{rows}</ul></section>"


def _trials(record: dict[str, Any]) -> str:
    tried = [t for t in record["trials"] if t["code"] and t["ended"] != "void"]
    if not tried:
        return ""
    rows = "".join(
        f'<tr><td>{escape(t["repair"])}</td><td><code>{t["code"]}</code></td><td class="number">{_number(t["repaired"])}</td>'
        f'<td class="number">{_number(t["as_written"])}</td><td class="number">{t["steps"]}</td></tr>'
        for t in tried
    )  # fmt: skip
    return (
        '<section><h2>Repairs that were tried</h2><div class="scroll" tabindex="0"><table><thead><tr><th>repair</th><th>cause</th>'
        f'<th class="number">loss</th><th class="number">as written</th><th class="number">steps</th></tr></thead><tbody>{rows}</tbody></table></div></section>'
    )  # fmt: skip


def _number(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.4g}"


def _checks(record: dict[str, Any]) -> str:
    styles = {"found": "found", "clear": ""}
    signs = {"found": "✗", "clear": "✓"}
    rows = "".join(
        f'<li class="{styles.get(state, "absent")}" title="{escape(codes()[name].cause if name in codes() else name)}: {state}">'
        f"{signs.get(state, '–')} {name}</li>"
        for name, state in record["checks"].items()
    )  # fmt: skip
    return f'<section><h2>What was checked</h2><ul class="checks">{rows}</ul></section>'


def _foot(record: dict[str, Any]) -> str:
    told = " · ".join(f"{name} {number}" for name, number in record["versions"].items())
    notes = "".join(f"<p>{escape(note)}</p>" for note in record["notes"])
    return f"<footer>{notes}<p>{escape(told)}</p></footer>"
