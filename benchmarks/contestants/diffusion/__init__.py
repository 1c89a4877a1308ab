"""Contestants that train a diffusion model on images, or draw from it."""
