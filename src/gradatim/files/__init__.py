"""Files that are written whole or not at all and never cost the user one, and trees of tensors without pickle."""

from gradatim.files.atomic import open_atomically, or_unavailable, write_atomically
from gradatim.files.folders import probe_folder, settle, write_files
from gradatim.files.outputs import (
    check_output,
    first_line,
    is_inside,
    is_plain,
    is_result,
    own_document,
    refuse,
    report_files,
    unwritable,
)
from gradatim.files.paths import LONGEST, check_path, short_name
from gradatim.files.regular import check_regular
from gradatim.files.scratch import abandoned, lock, remove, scratch_folder, sweep
from gradatim.files.trees import load_tree, pack_tree, save_tree, tree_kind, unpack_tree

__all__ = [
    "LONGEST",
    "abandoned",
    "check_output",
    "check_path",
    "check_regular",
    "first_line",
    "is_inside",
    "is_plain",
    "is_result",
    "load_tree",
    "lock",
    "open_atomically",
    "or_unavailable",
    "own_document",
    "pack_tree",
    "probe_folder",
    "refuse",
    "remove",
    "report_files",
    "save_tree",
    "scratch_folder",
    "settle",
    "short_name",
    "sweep",
    "tree_kind",
    "unpack_tree",
    "unwritable",
    "write_atomically",
    "write_files",
]
