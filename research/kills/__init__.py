"""What is left when something is killed, filled up or damaged in the middle of a study; see `__main__`."""
