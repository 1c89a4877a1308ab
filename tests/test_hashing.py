"""Fingerprints say the same of the same content, and notice every change."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.hashing import check_signed, hash_document, hash_file, json_bytes, sign

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4)


@given(document=DOCUMENTS)
def test_a_signed_document_survives_the_file(document):
    again = json.loads(json_bytes(sign(document)))
    check_signed("f", again)
    assert {k: v for k, v in again.items() if k != "sha256"} == {
        k: v for k, v in document.items() if k != "sha256"
    }


@given(document=DOCUMENTS, other=DOCUMENTS)
def test_another_content_has_another_fingerprint(document, other):
    plain, changed = ({k: v for k, v in d.items() if k != "sha256"} for d in (document, other))
    same = json.dumps(plain, sort_keys=True) == json.dumps(changed, sort_keys=True)
    assert (hash_document(document) == hash_document(other)) == same


def test_numbers_as_keys_are_the_texts_that_json_makes_of_them():
    check_signed("f", json.loads(json_bytes(sign({"a": {1: 2}, "b": 3}))))


@pytest.mark.parametrize("text", ["\udcff", "a\ud800b", "\U0001f600", "\x1b[31m", "\\udcff", "é"])
def test_any_text_comes_back(text):
    assert json.loads(json_bytes({text: [text]})) == {text: [text]}


def test_a_change_is_refused():
    document = sign({"a": 1})
    for changed in (document | {"a": 2}, document | {"sha256": "0"}, {"a": 1}):
        with pytest.raises(InvalidValue, match=r"^m: is damaged: its content is not what was written"):  # fmt: skip
            check_signed("m", changed)


def test_a_file_is_hashed_whole(tmp_path):
    content = bytes(range(256)) * 5000
    (tmp_path / "f").write_bytes(content)
    assert hash_file(tmp_path / "f") == hashlib.sha256(content).hexdigest()
