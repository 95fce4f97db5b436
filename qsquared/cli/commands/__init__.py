"""What each command takes; each imports its work when it runs, so that --help is quick."""
