"""The models behind the protocols: spaCy, rules, transformers. Knows no Parquet."""
