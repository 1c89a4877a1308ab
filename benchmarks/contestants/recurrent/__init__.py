"""Contestants that train a recurrent network."""
