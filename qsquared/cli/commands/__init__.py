"""The commands of q2, those on one subject in one module, which import heavy libraries only when they run."""
