"""Sets and point clouds."""
