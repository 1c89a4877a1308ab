"""Tagged sentences: both layouts, documents, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data.plain_sentences import count_glued, read_sentences
from gradatim.data.tagged import COLUMNS, SLASHES, Layout, cut_long, read_tagged
from gradatim.errors import InvalidValue


def write(tmp_path, text, name="t.tsv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_and_slashes_are_told_apart(tmp_path):
    columns = read_tagged(write(tmp_path, "The\tat\ndog\tnn\n\nIt\tpps\n"))
    slashes = read_tagged(write(tmp_path, "The/at dog/nn\n\nIt/pps\n"))
    assert columns.words == slashes.words == [["The", "dog"], ["It"]]
    assert columns.tags == slashes.tags == [["at", "nn"], ["pps"]]
    assert (columns.layout, slashes.layout) == (Layout(COLUMNS, 2, 0, 1), Layout(SLASHES))


def test_the_last_slash_counts_and_words_may_hold_spaces_between_tabs(tmp_path):
    assert read_tagged(write(tmp_path, "1/2/cd and/or/cc\n")).words == [["1/2", "and/or"]]
    assert read_tagged(write(tmp_path, "New York\tnp\nis\tbez\n")).words == [["New York", "is"]]


def test_columns_by_number(tmp_path):
    text = "1\tDogs\tdog\tNOUN\t_\n2\tbark\tbark\tVERB\t_\n"
    found = read_tagged(write(tmp_path, text), word=2, tag=4)
    assert (found.words, found.tags) == ([["Dogs", "bark"]], [["NOUN", "VERB"]])
    assert read_tagged(write(tmp_path, text)).tags == [["_", "_"]]
    with pytest.raises(InvalidValue, match=r"tag-column must be from 1 to 5, the columns of t\.tsv, got 9"):  # fmt: skip
        read_tagged(write(tmp_path, text), tag=9)
    with pytest.raises(InvalidValue, match="tag-column must differ from word-column, got 2"):
        read_tagged(write(tmp_path, text), word=2, tag=2)


def test_documents_and_remarks(tmp_path):
    text = "-DOCSTART- O\n\na A\n\n-DOCSTART- O\nb B\n\nc C\n"
    assert read_tagged(write(tmp_path, text)).documents == [1, 2, 2]
    text = "# newdoc id = 1\n# text = a hash\na\tA\n#\tB\n\n# newdoc\nb\tB\n"
    found = read_tagged(write(tmp_path, text))
    assert (found.words, found.documents) == ([["a", "#"], ["b"]], [1, 2])


def test_a_folder_has_a_document_in_each_file(tmp_path):
    for name in ("b.txt", "a.txt", ".hidden"):
        write(tmp_path, f"{name}/x y/y\nz/z\n", name)
    found = read_tagged(tmp_path)
    assert [words[0] for words in found.words] == ["a.txt", "z", "b.txt", "z"]
    assert found.documents == [0, 0, 1, 1]


def test_sets_of_the_catalogue():
    found = read_tagged("grammar")
    assert (len(found.words), len(set(found.documents))) == (600, 30)
    with pytest.raises(InvalidValue, match="iris must hold words with tags, and does not"):  # fmt: skip
        read_tagged("iris")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold tagged words, but it is empty"),
        ("a/A b\nc/C d/D\n", "line 1 must hold words with a slash and a tag, such as dog/nn, got 'b'"),
        ("a/A /B\n", "got '/B'"),
        ("a\tA\nb\n", r"line 2 must have 2 columns, a word in column 1 and its tag in column 2, got 'b'"),
        ("a\tA\n\tB\n", "line 2 must have 2 columns"),
        ("a\nb\n", "must hold a word and its tag a line, or words with a slash and a tag, such as dog/nn, got 'a' in line 1"),
        ("The dog barks\nIt is loud\n", None),
    ],
)  # fmt: skip
def test_what_is_no_file_of_tags_is_refused(tmp_path, text, message):
    path = write(tmp_path, text)
    if (
        message is None
    ):  # plain sentences of one length look like columns: the tags give them away later
        assert read_tagged(path).tags == [["barks", "loud"]]
        return
    with pytest.raises(InvalidValue, match=message):
        read_tagged(path)


@given(lengths=st.lists(st.integers(1, 40), min_size=1, max_size=5), most=st.integers(1, 9))
def test_pieces_are_the_sentences(lengths, most):
    sentences = [[f"{n}.{k}" for k in range(length)] for n, length in enumerate(lengths)]
    pieces = [sentences[n][a:b] for n, a, b in cut_long(sentences, most)]
    assert [w for p in pieces for w in p] == [w for s in sentences for w in s]
    assert max(map(len, pieces)) <= most
    assert min(map(len, pieces)) >= 1


SLASHED, COLUMNED = Layout(), Layout(COLUMNS, 3, 0, 2)


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (SLASHED, "The dog\nbarks .\n"),
        (SLASHED, "The/at dog/nn\nbarks/vb ./.\n"),
        (SLASHED, "The\ndog\n\nbarks\n.\n"),
        (COLUMNED, "The dog\nbarks .\n"),
        (COLUMNED, "The\tx\tat\ndog\tx\tnn\n\nbarks\tx\tvb\n.\tx\t.\n"),
        (COLUMNED, "The x at\ndog x nn\n\nbarks x vb\n. x .\n"),
        (COLUMNED, "The x\ndog x\n\nbarks x\n. x\n"),
        (COLUMNED, "The\ndog\n\nbarks\n.\n"),
    ],
)
def test_sentences_to_tag_are_read_as_they_are_meant(tmp_path, layout, text):
    found = read_sentences(write(tmp_path, text), layout, {"at", "nn", "vb", "."})
    assert found == [["The", "dog"], ["barks", "."]]


def test_slashes_that_are_no_tags_stay(tmp_path):
    assert read_sentences(write(tmp_path, "and/or this\n"), SLASHED, {"nn"}) == [["and/or", "this"]]
    with pytest.raises(InvalidValue, match="must hold sentences, but it is empty"):
        read_sentences(write(tmp_path, "\n\n"), SLASHED, set())


def test_glued_marks_are_counted():
    assert count_glued([["a", "b."], ["c", "."], []]) == 1
