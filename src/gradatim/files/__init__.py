"""Files that are written whole or not at all, and trees of tensors without pickle."""

from gradatim.files.atomic import open_atomically, or_unavailable, write_atomically
from gradatim.files.folders import probe_folder, write_files
from gradatim.files.paths import LONGEST, check_path, short_name
from gradatim.files.regular import check_regular
from gradatim.files.trees import load_tree, pack_tree, save_tree, unpack_tree

__all__ = [
    "LONGEST",
    "check_path",
    "check_regular",
    "load_tree",
    "open_atomically",
    "or_unavailable",
    "pack_tree",
    "probe_folder",
    "save_tree",
    "short_name",
    "unpack_tree",
    "write_atomically",
    "write_files",
]
