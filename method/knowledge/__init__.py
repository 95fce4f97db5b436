"""Choose the parts of the knowledge that a question or a sentence is compared with."""
