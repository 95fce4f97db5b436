"""The commands of q2, one module each, which import heavy libraries only when they run."""
