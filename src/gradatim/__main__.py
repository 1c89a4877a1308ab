"""``python -m gradatim`` is the command line."""

import sys

from gradatim.cli import main

if __name__ == "__main__":
    sys.exit(main())
