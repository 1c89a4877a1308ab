import base64
import re
from html.parser import HTMLParser

import pytest

from gradatim.plots import new_figure
from gradatim.reports import Report

VOID = {"meta", "img", "br"}


class Outline(HTMLParser):
    """Checks that tags nest, and collects them with their words."""

    def __init__(self, page):
        super().__init__()
        self.stack, self.tags, self.words, self.resources = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.resources += [value for key, value in attrs if key in ("src", "href")]
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if "style" not in self.stack:
            self.words.append(data)


@pytest.fixture
def page(tmp_path):
    report = Report(title="A <b> & B", summary="Uses `MLP`.")
    report.claim("wide & deep", expected="error <= 2", measured=1.8, holds=True)
    report.claim("fast", expected="ratio >= 3", measured="<script>alert(1)</script>", holds=False)
    report.text("One.\n\nTwo with `x < y`.")
    report.table("Errors", columns=["model", "error %"], rows=[["MLP", 1.8], ["<i>", 2.0]])
    report.figure("curve", new_figure(width=2.0, height=1.0)[0], caption='A "curve".')
    report.code("python", "if a < b:\n    pass")
    report.settings, report.seconds = {"sizes": (2, 1), "seed": 0}, 3.0
    return report.write(tmp_path).read_text("utf-8")


def test_tags_nest(page):
    assert Outline(page).stack == []


def test_page_needs_nothing_but_itself(page):
    outline = Outline(page)
    assert [resource[:22] for resource in outline.resources] == ["data:image/png;base64,"]
    assert not {"script", "link", "iframe"} & set(outline.tags)
    assert not re.search(r"url\(|@import|https?://", page)


def test_users_words_are_escaped(page):
    words = "".join(Outline(page).words)
    assert "A <b> & B" in words
    assert "<script>alert(1)</script>" in words
    assert "x < y" in words
    assert "if a < b:" in words


def test_order_is_claims_then_sections(page):
    places = [page.index(mark) for mark in ('"claims"', "One.", "Errors", 'id="curve"', "<pre")]
    assert places == sorted(places)


def test_claims_show_verdict_value_and_expectation(page):
    words = [word.strip() for word in Outline(page).words if word.strip()]
    at = words.index("✓ holds")
    assert words[at : at + 4] == ["✓ holds", "wide & deep", "1.8", "expected error ≤ 2"]
    assert "1 of 2 claims hold" in words
    assert "✗ fails" in words


def test_numbers_of_a_table_are_aligned(page):
    assert '<th class="number">error %</th>' in page
    assert '<td>MLP</td><td class="number">1.8</td>' in page
    assert '<td class="number">2.0</td>' in page


def test_figures_are_inlined_at_their_own_size(page):
    width, data = re.search(r'width="(\d+)" src="data:image/png;base64,([^"]+)"', page).groups()
    assert base64.b64decode(data).startswith(b"\x89PNG")
    assert int(width) == 2 * 96


def test_page_adapts_to_darkness_and_phones(page):
    assert "prefers-color-scheme: dark" in page
    assert "width=device-width" in page


def test_foot_states_settings_seconds_and_versions(page):
    words = " ".join(Outline(page).words)
    assert "2, 1" in words
    assert re.search(r"3 seconds · \d+ × CPU · python 3\.\d+", words)
