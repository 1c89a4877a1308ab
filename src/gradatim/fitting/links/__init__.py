"""Links of a graph: which pairs of nodes are joined, from their columns and their neighbours."""
