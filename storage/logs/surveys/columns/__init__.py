"""Tell the columns of an unknown log by their values."""
