"""Contestants that train a convolutional classifier of images."""
