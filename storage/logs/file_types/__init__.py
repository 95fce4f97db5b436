"""Read the rows of file formats: JSON, CSV, Parquet, Arrow."""
