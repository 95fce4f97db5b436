"""The engines that turn the rows of a log into turns by a description of its format."""
