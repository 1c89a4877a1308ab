"""The tables of the book."""

from gradatim.data.islp import ISLP_ENTRIES

# Rows and responses as An Introduction to Statistical Learning states them.
BOOK = {
    "islp-default": (10000, "default"),
    "islp-hitters": (322, "Salary"),
    "islp-nyse": (6051, "log_volume"),
    "islp-smarket": (1250, "Direction"),
    "islp-wage": (3000, "wage"),
    "islp-bikeshare": (8645, "bikers"),
    "islp-boston": (506, "medv"),
    "islp-auto": (392, "mpg"),
    "islp-carseats": (400, "Sales"),
    "islp-weekly": (1089, "Direction"),
    "islp-oj": (1070, "Purchase"),
    "islp-caravan": (5822, "Purchase"),
    "islp-college": (777, "Apps"),
    "islp-credit": (400, "Balance"),
    "islp-khan": (83, "x"),
    "islp-nci60": (64, "label"),
}


def test_rows_and_targets_are_those_of_the_book():
    known = {entry.name: (entry.samples, entry.target) for entry in ISLP_ENTRIES}
    assert {name: known[name] for name in BOOK} == BOOK


def test_every_file_of_the_archive_belongs_to_exactly_one_table():
    used = [file for entry in ISLP_ENTRIES for file in entry.files]
    assert sorted(used) == sorted(member.name for member in ISLP_ENTRIES[0].archive.members)


def test_columns_that_give_the_answer_away_are_announced():
    leaks = {"smarket": "Today", "weekly": "Today", "wage": "logwage", "bikeshare": "registered"}
    notes = {entry.name: entry.notes for entry in ISLP_ENTRIES}
    assert all(column in notes[f"islp-{name}"] for name, column in leaks.items())


def test_a_set_has_a_target_unless_it_is_unsupervised():
    for entry in ISLP_ENTRIES:
        assert (entry.target is None) == (entry.task == "unsupervised")
