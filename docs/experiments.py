"""Every experiment by chapter, with what it shows: ``make index`` writes ``docs/experiments.md`` from the experiments."""

from itertools import groupby
from pathlib import Path

from gradatim import experiments

PAGE = Path(__file__).with_name("experiments.md")
PAGES = {
    "learning": "optim",
    "generalization": "regularization",
    "robustness": "robust",
    "sets": "graphs",
}  # chapters whose page has another name
HEAD = """# Every experiment, by chapter

`gradatim run NAME` tries the claims of one on this machine, prints a verdict for each and writes a report with tables and
figures; `--quick` takes seconds. `gradatim list --search "constant error carousel"` finds one by the words of a textbook.
"""


def write() -> str:
    """The whole page, in Markdown."""
    parts = [HEAD]
    for chapter, entries in groupby(experiments.entries(), key=lambda entry: entry.chapter):
        listed = list(entries)
        page = f"{PAGES.get(chapter, chapter)}.md"
        lines = "\n".join(f"- `{entry.name}`: {entry.summary}" for entry in listed)
        parts.append(f"## [{listed[0].title}]({page})\n\n{lines}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(write(), encoding="utf-8")
