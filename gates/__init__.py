"""Gates: rules that decide whether a night's scores are good enough."""
