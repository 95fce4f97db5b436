"""BEGIN's classes of replies, and the questionnaire by which people assign them."""
