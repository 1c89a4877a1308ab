"""The contestants: one folder per kind of task, one file per library."""
