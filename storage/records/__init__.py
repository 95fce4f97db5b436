"""Small JSON files of a store and the tables that they vouch for."""
