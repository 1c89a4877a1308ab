"""Series in the contest: what the past says about the next steps."""
