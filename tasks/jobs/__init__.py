"""Jobs: the options, metrics, stages and content keys of a run."""
