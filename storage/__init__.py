"""The store of Parquet tables: keys, columns, files, logs, records, SQL and outputs; no NLP."""
