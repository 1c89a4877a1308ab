"""Contestants that search for adversarial images by projected gradient ascent."""
