"""Plain data as bytes of JSON, and fingerprints by which a damaged or exchanged file is noticed."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gradatim.errors import InvalidValue

OWN = "sha256"  # where a document keeps its own fingerprint


def json_bytes(document: object) -> bytes:
    r"""Write plain data as JSON for people to read, in UTF-8.

    Text that UTF-8 cannot hold, such as a file name of other bytes, is written as JSON's escape and comes back as it was.

    Example:
        >>> json_bytes({"name": "é\udcff"}).decode()
        '{\n  "name": "é\\udcff"\n}'
    """
    return json.dumps(document, indent=2, ensure_ascii=False).encode(errors="backslashreplace")


def hash_bytes(content: bytes) -> str:
    """Return the SHA-256 of ``content``.

    >>> hash_bytes(b"")[:16]
    'e3b0c44298fc1c14'
    """
    return hashlib.sha256(content).hexdigest()


def hash_file(path: str | Path) -> str:
    """Return the SHA-256 of a file, which is read piece by piece."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_document(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what a document says, whatever its order and spaces, without its own fingerprint.

    >>> hash_document({"a": 1, "b": [2]}) == hash_document({"b": [2], "sha256": "", "a": 1})
    True
    """
    rest = {key: value for key, value in document.items() if key != OWN}
    as_read = json.loads(json.dumps(rest))  # keys that are numbers become texts
    return hash_bytes(json.dumps(as_read, sort_keys=True, separators=(",", ":")).encode())


def sign(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give a document its own fingerprint.

    >>> check_signed("model.json", sign({"a": 1}))
    """
    return {**document, OWN: hash_document(document)}


def check_signed(where: str, document: Mapping[str, Any]) -> None:
    """Raise unless a document says what it said when it was signed.

    >>> check_signed("model.json", sign({"a": 1}) | {"a": 2})
    Traceback (most recent call last):
    ...
    gradatim.errors.InvalidValue: model.json: is damaged: its content is not what was written. Write it again.
    """
    if document.get(OWN) != hash_document(document):
        raise InvalidValue(
            f"{where}: is damaged: its content is not what was written. Write it again."
        )
