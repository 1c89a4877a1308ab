"""Images with masks: which pixel belongs to what."""
