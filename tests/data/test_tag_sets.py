"""The Brown corpus made simple, and the drawn language."""

from collections import defaultdict

import numpy as np

from gradatim.data import load
from gradatim.data.tag_sets import grammar, read_brown, simple_tag


def test_marks_of_brown_fall_away():
    assert simple_tag("wdt+ber+pp") == "wdt"
    assert [simple_tag(t) for t in ("vbg-tl-hl", "fw-in+at-t", "ppss+ber-n", "bedz*")] == ["vbg", "in", "ppss", "bedz"]  # fmt: skip
    assert [simple_tag(t) for t in (".-hl", "''", "*-nc", "nn$-tl")] == [".", "''", "*", "nn$"]


def test_brown_is_a_sentence_a_line():
    found = read_brown([b"\n\n\tA/at b/nn-tl\n\n\n\tc/vb\n", b"d/rb /\n"])
    assert found.words == [("A", "b"), ("c",), ("d",)]
    assert found.tags == [("at", "nn"), ("vb",), ("rb",)]
    assert found.documents.tolist() == [0, 0, 1]


def test_the_drawn_language_obeys_its_grammar():
    drawn = grammar(300, seed=3)
    tags = defaultdict(set)
    for words, own in zip(drawn.words, drawn.tags, strict=True):
        assert len(words) == len(own)
        assert own.count("verb") == 1
        assert words[-1] == "."
        verb = words[own.index("verb")]
        if "up" in words:
            wanted = verb.rstrip("s") in ("light", "plant", "drink")
            assert own[words.index("up")] == ("particle" if wanted else "adverb")
        for word, tag in zip(words, own, strict=True):
            tags[word].add(tag)
    assert tags["plant"] == {"noun", "verb"}
    assert tags["up"] == {"particle", "adverb"}
    endings = {"ly": {"adverb"}, "ous": {"adjective"}, "ness": {"noun"}}
    for ending, own in endings.items():
        assert all(found == own for word, found in tags.items() if word.endswith(ending))
    np.testing.assert_array_equal(drawn.documents, np.arange(300) // 20)


def test_the_catalogue_has_it_with_documents():
    record = load("grammar")
    assert (record.task, len(record.X), record.groups.max()) == ("tagging", 600, 29)
    assert record.X[0] == grammar(1).words[0]
