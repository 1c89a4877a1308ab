"""The trials are many, and none is there twice."""

from collections import Counter

from . import (
    test_anomalies,
    test_commands,
    test_generative,
    test_graphs,
    test_images,
    test_links,
    test_masks,
    test_nodes,
    test_options,
    test_outputs,
    test_predict,
    test_python,
    test_sequences,
    test_series,
    test_tables,
    test_tags,
    test_texts,
    test_writers,
)

TABLES = (test_tables, test_texts, test_tags, test_sequences, test_series, test_anomalies, test_images, test_masks, test_nodes, test_links, test_graphs, test_writers, test_generative, test_options, test_outputs, test_predict, test_commands)  # fmt: skip


def test_there_are_many():
    assert sum(len(table.TRIALS) for table in TABLES) + test_python.COUNT >= 500


def test_none_is_there_twice():
    for table in TABLES:
        names = Counter(row.what for row in table.TRIALS)
        assert [name for name, count in names.items() if count > 1] == []


def test_each_says_how_it_must_end():
    for row in (row for table in TABLES for row in table.TRIALS):
        assert row.code in (0, 1, 2), row.what
