"""Contestants that classify nodes, trained on samples of their neighbours."""
