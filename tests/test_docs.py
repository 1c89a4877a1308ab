"""Every Python example of the README and the documentation runs, page by page, and the index names every experiment."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__example__"}
    for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), 1):
        exec(compile(block, f"{page.name}, example {number}", "exec"), namespace)


def test_every_experiment_stands_in_the_index():
    spec = importlib.util.spec_from_file_location(
        "experiments_page", ROOT / "docs" / "experiments.py"
    )
    assert spec is not None
    assert spec.loader is not None
    index = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(index)
    assert index.PAGE.read_text(encoding="utf-8") == index.write(), "make index"
    pages = {line.partition("](")[2].rstrip(")") for line in index.write().splitlines() if line.startswith("## ")}  # fmt: skip
    assert [page for page in pages if not (ROOT / "docs" / page).exists()] == []


def test_every_experiment_is_named_on_the_page_of_its_chapter():
    index = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    lost = []
    for section in index.split("\n## ")[1:]:
        page = re.search(r"\]\((\w+\.md)\)", section)
        assert page is not None
        words = (ROOT / "docs" / page[1]).read_text(encoding="utf-8")
        lost += [name for name in re.findall(r"^- `([\w-]+)`", section, re.MULTILINE) if name not in words]  # fmt: skip
    assert lost == []
