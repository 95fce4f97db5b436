"""BEGIN's classes and questionnaire."""
