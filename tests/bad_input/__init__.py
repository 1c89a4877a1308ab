"""Ways to go wrong, as tables: what lies there, what is typed, the exit code, the words that must appear."""
