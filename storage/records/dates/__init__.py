"""Records of the dates that nightly runs have scored."""
