"""Hand-written passages with claims and questions: what the judge and the reader learn of replies."""
