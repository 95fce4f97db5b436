"""Survey a log before it is read, and complain about one that would be misread."""
