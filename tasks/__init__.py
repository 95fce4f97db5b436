"""The stages: each a pure function from tables to one table, named as in the paper."""
