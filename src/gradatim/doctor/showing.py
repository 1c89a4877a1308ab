"""The verdict on a terminal: first what is wrong, where, and what to change; then the evidence; then what was checked."""

import linecache
import math
import os
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from gradatim.doctor.codes import FAMILIES, Code, codes
from gradatim.doctor.ranking import UNHELPED, UNTESTED
from gradatim.reports.console import PlainConsole
from gradatim.wording import numbered

MARKS = {"error": ("✗", "bold red"), "warning": ("!", "bold yellow"), "note": ("·", "dim")}
MOST_NOTES = 3
BARS = "▁▂▃▄▅▆▇█"
WIDTH = 60
SYMPTOMS = {
    "crash": "the script crashed",
    "non-finite": "the loss stops being a number",
    "diverging": "the loss grows",
    "unstable": "the loss jumps",
    "not-learning": "the loss is no better than that of a constant prediction",
    "slow": "the loss falls slowly",
    "collapsed": "the outputs are the same for all inputs",
    "gap": "validation is far worse than training",
}


def verdict(record: dict[str, Any]) -> str:
    """The whole diagnosis in a sentence.

    >>> verdict({"findings": [], "symptoms": [], "steps": 0, "exit": {"code": 0, "exception": None}})
    'No backward pass was seen: the script trains nothing with PyTorch in its own process, or by torch.autograd.grad or torch.func, which are not looked at.'
    """
    findings = [f for f in record["findings"] if f["severity"] != "note"]
    steps = record["steps"]
    if findings:
        others = len(findings) - 1
        more = f" {numbered(others, 'other findings').capitalize()} below." if others else ""
        cause = findings[0]["cause"]
        return f"{cause[:1].upper()}{cause[1:]}.{more}"
    if not steps and record.get("stopped"):
        return f"No backward pass was seen before the script was ended {record['stopped']}."
    if not steps:
        return "No backward pass was seen: the script trains nothing with PyTorch in its own process, or by torch.autograd.grad or torch.func, which are not looked at."  # fmt: skip
    if record["symptoms"]:
        names = ", ".join(SYMPTOMS[s["name"]] for s in record["symptoms"])
        return f"Something is wrong ({names}), but no cause could be named in {numbered(steps, 'steps')}."  # fmt: skip
    return f"Nothing wrong was found in {numbered(steps, 'steps')}."


def show_record(record: dict[str, Any], console: Console | None = None) -> None:
    """Print a record.

    Args:
        record: As it is written to a file.
        console: Where to.
    """
    console = console or PlainConsole(highlight=False)
    console.print()
    console.print(Rule("Diagnosis", align="left", style="dim"))
    findings = [f for f in record["findings"] if f["severity"] != "note"]
    style = "bold" if findings or record["symptoms"] else "bold green"
    console.print(Text(verdict(record), style=style))
    for number, finding in enumerate(findings):
        _show_finding(finding, console, is_first=number == 0, title=number > 0)
    _show_evidence(record, console)
    notes = [f for f in record["findings"] if f["severity"] == "note"][:MOST_NOTES]
    if notes:
        console.print()
        console.print(Text("Worth knowing", style="bold"))
        for note in notes:
            _indented(console, Text(f"· {note['cause']} ({note['code']})", style="dim"))  # fmt: skip
    _show_checks(record, console)


def _show_finding(finding: dict[str, Any], console: Console, *, is_first: bool, title: bool) -> None:  # fmt: skip
    mark, style = MARKS[finding["severity"]]
    if title:
        console.print()
        console.print(Text.assemble((f"{mark} ", style), (finding["cause"], "bold")))
    for line in _where(finding["where"]):
        _indented(console, line)
    _indented(console, Text.assemble(("What to change  ", "bold green"), finding["remedy"]))  # fmt: skip
    if finding["trial"]:
        _indented(console, Text.assemble((f"{trial_title(finding['trial'])}  ", "bold"), finding["trial"]))  # fmt: skip
    explains = [SYMPTOMS[name] for name in finding["explains"] if name in SYMPTOMS]
    if explains and is_first:
        _indented(console, Text.assemble(("This explains  ", "bold"), "; ".join(explains)))
    others = [name for name in finding["explains"] if name not in SYMPTOMS]
    if others and is_first:
        _indented(console, Text.assemble(("It looks like  ", "bold"), ", ".join(others), ", which follow from it"))  # fmt: skip
    sure = finding["confidence"]
    certainty = "" if sure is None else f", right in {sure:.0%} of our test programs"
    _indented(console, Text(f"{finding['code']}{certainty} · gradatim doctor --explain {finding['code']}", style="dim"))  # fmt: skip


def trial_title(trial: str) -> str:
    """What stands before the words of a trial.

    >>> trial_title("not tested"), trial_title("learning rate × 0.1: loss 0.2 after 60 steps; as written: 0.7")
    ('By trial', 'Proved by trial')
    """
    return "By trial" if trial.startswith((UNHELPED, UNTESTED)) else "Proved by trial"


def _indented(console: Console, text: Text) -> None:
    console.print(Padding(text, (0, 0, 0, 2), expand=False))


def _where(where: dict[str, Any]) -> list[Text]:
    """File, line and source, as an editor finds them."""
    if not where.get("line"):
        return [Text.assemble(("Where  ", "bold"), f"layer {where['layer']}")] if where.get("layer") else []  # fmt: skip
    file, line = str(where["file"]), int(where["line"])
    layer = f" (layer {where['layer']})" if where.get("layer") else ""
    told = [Text.assemble(("Where  ", "bold"), (f"{_short(file)}:{line}", "cyan"), layer)]
    text = linecache.getline(file, line).rstrip()
    if text:
        told.append(Text(f"       {line} │ {text.strip()}"))
    return told


def _short(file: str) -> str:
    try:
        return os.path.relpath(file) if Path(file).is_absolute() else file
    except ValueError:
        return file


def _show_evidence(record: dict[str, Any], console: Console) -> None:
    losses = [float(x) for x in record["series"]["loss"]]
    if not losses:
        return
    console.print()
    console.print(Text("Evidence", style="bold"))
    finite = [x for x in losses if math.isfinite(x)]
    if len(finite) >= 2:
        first, last = losses[0], losses[-1]
        _indented(console, Text(f"loss {sparkline(losses)}  {first:.4g} → {last:.4g} in {numbered(record['steps'], 'steps')}"))  # fmt: skip
    for symptom in record["symptoms"]:
        _indented(console, Text(f"· {said(symptom)}"))
    for trial in record["trials"]:
        if trial["code"] and trial["ended"] != "void":
            written = "not finite" if trial["as_written"] is None else f"{trial['as_written']:.4g}"
            repaired = "not finite" if trial["repaired"] is None else f"{trial['repaired']:.4g}"
            _indented(console, Text(f"· tried: {trial['repair']}: {repaired} after {trial['steps']} steps (as written {written})", style="dim"))  # fmt: skip
    for note in record["notes"][:MOST_NOTES]:
        _indented(console, Text(f"· {note}", style="dim"))


def said(symptom: dict[str, Any]) -> str:
    """A symptom with its numbers.

    >>> said({"name": "not-learning", "since": None, "numbers": {"end": 0.7, "constant": 0.69}})
    'the loss is no better than that of a constant prediction: 0.7, the constant gets 0.69'
    """
    numbers = symptom["numbers"]
    text = SYMPTOMS[symptom["name"]]
    if "constant" in numbers and symptom["name"] in {"not-learning", "slow", "diverging"}:
        text += f": {float(numbers['end']):.4g}, the constant gets {float(numbers['constant']):.4g}"
    elif symptom["name"] == "gap":
        text += f": {float(numbers['last']):.4g} at last, {float(numbers['best']):.4g} at best, training {float(numbers['training']):.4g}"  # fmt: skip
    if symptom["since"] is not None and symptom["name"] == "non-finite":
        text += f" in step {symptom['since']}"
    return text


def sparkline(values: list[float]) -> str:
    """A curve in one line; × stands where a value is not finite.

    >>> sparkline([3.0, 2.0, 1.0])
    '█▅▁'
    """
    size = max(1, math.ceil(len(values) / WIDTH))
    groups = [values[k : k + size] for k in range(0, len(values), size)]
    means = [math.fsum(g) / len(g) if all(map(math.isfinite, g)) else math.nan for g in groups]
    known = sorted(x for x in means if math.isfinite(x))
    if not known:
        return "×" * len(means)
    low, high = known[0], known[min(len(known) - 1, int(0.98 * len(known)))]
    width = (high - low) or 1.0
    return "".join(
        "×" if math.isnan(x) else BARS[min(7, max(0, round(7 * (x - low) / width)))] for x in means
    )


def _show_checks(record: dict[str, Any], console: Console) -> None:
    states = list(record["checks"].values())
    clear, absent = states.count("clear"), states.count("not reached")
    told = f"{clear} of {len(states)} checks clear"
    if absent:
        told += f", {absent} not reached"
    console.print()
    seconds = record["seconds"]
    console.print(Text(f"{told} · {numbered(record['steps'], 'steps')} in {seconds:.1f} s · gradatim doctor --list shows all", style="dim"))  # fmt: skip


def show_code(code: Code, console: Console | None = None) -> None:
    """Explain a code: cause, remedy, a line that has it and one that has not.

    Args:
        code: Of the table.
        console: Where to.
    """
    console = console or PlainConsole(highlight=False)
    console.print(Text(code.name, style="bold"))
    console.print(Text(f"{code.cause[:1].upper()}{code.cause[1:]}."))
    console.print(Text.assemble(("What to change  ", "bold green"), code.remedy))
    console.print()
    for title, text in (("wrong", code.wrong), ("right", code.right)):
        if text:
            console.print(Text.assemble((f"  {title}  ", "dim"), text.replace("\n", "\n         ")))
    symptoms = [SYMPTOMS[name] for name in code.explains if name in SYMPTOMS]
    others = [name for name in code.explains if name in codes()]
    if symptoms:
        console.print()
        console.print(Text.assemble(("May explain  ", "bold"), "; ".join(symptoms)))
    if others:
        console.print(Text.assemble(("Looks like  ", "bold"), ", ".join(others)))


def show_list(console: Console | None = None) -> None:
    """List every code by family.

    Args:
        console: Where to.
    """
    console = console or PlainConsole(highlight=False)
    for family, title in FAMILIES.items():
        console.print(Text(title, style="bold underline"))
        for code in codes().values():
            if code.family == family:
                console.print(Text.assemble((f"  {code.name:<27}", "bold"), code.cause))
