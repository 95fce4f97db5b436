"""The stage of BEGIN, which classifies replies."""
