"""The Parquet store: schemas, content keys, atomic files, manifests, SQL. Knows no NLP."""
