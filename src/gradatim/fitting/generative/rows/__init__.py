"""Tables as a medium: rows are read, learned, made and judged."""
