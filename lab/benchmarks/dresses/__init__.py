"""Replies dressed as chatbots write them, and how far the dress moves their scores."""
