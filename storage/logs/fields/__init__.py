"""Values of a row's fields as texts, passages, ids and times."""
