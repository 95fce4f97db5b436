"""Speed of the paper's architectures against the published loop."""
