"""Programs of 1,000 steps whose CPU time is measured alone and under observation."""
