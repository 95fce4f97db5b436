"""Progress of a run for observers, and its report."""
