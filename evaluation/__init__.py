"""How far the metrics agree with people: the protocols of the papers, on data that a user gives."""
