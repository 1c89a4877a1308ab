"""Messages through a pipe: JSON with its length before it."""

import json
import os
import select
import struct
from typing import Any


def send(pipe: int, message: dict[str, Any]) -> None:
    """Write a message with its length before it."""
    data = json.dumps(message).encode()
    os.write(pipe, struct.pack("<I", len(data)) + data)


def receive(pipe: int, seconds: float | None = None) -> dict[str, Any] | None:
    """Read a message; None at the end, or when none came in time."""
    head = _exactly(pipe, 4, seconds)
    if head is None:
        return None
    data = _exactly(pipe, struct.unpack("<I", head)[0], seconds)
    if data is None:
        return None
    message: dict[str, Any] = json.loads(data)
    return message


def _exactly(pipe: int, count: int, seconds: float | None) -> bytes | None:
    data = b""
    while len(data) < count:
        if seconds is not None and not select.select([pipe], [], [], seconds)[0]:
            return None
        part = os.read(pipe, count - len(data))
        if not part:
            return None
        data += part
    return data
