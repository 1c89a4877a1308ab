"""Nodes of a graph: a class or a value of each, from its columns and its neighbours."""
