"""Jobs: the stages, parameters and models that a run asks for."""
