"""Generation of questions, by rules and by T5."""
