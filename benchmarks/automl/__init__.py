"""`gradatim fit` beside other automatic learners on real tables, each given the same seconds."""
