"""The command line: parses, calls one public function, presents its result."""

from gradatim.cli.main import main

__all__ = ["main"]
