"""Images as a medium: pictures are read, learned, made and judged."""
