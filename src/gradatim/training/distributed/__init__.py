"""Many processes that train one model, each by its share of every batch, to the numbers of one process."""
