"""Tables of users: text and Parquet files, typed columns, times and targets."""
