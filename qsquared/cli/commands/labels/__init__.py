"""Commands that collect people's labels of replies, and estimate by them."""
