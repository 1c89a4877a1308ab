"""Groups in data that nobody labelled."""
